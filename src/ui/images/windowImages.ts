import { join } from 'node:path';
import * as vscode from 'vscode';
import { sweepLeftovers } from '../../apptainer/leftovers';
import type { LiveSandboxes } from '../../launch/liveSandboxes';
import { ImageBuilder } from './imageBuilder';
import { announceContext } from './imageContext';
import { Images } from './images';
import { surroundingsOf } from '../setup/installation';
import type { Log } from '../log';
import { firstObstacle } from '../setup/obstacles';
import { pullEnvironmentOf } from './pullEnvironment';
import { PulledImage } from './pulledImage';
import type { Say } from '../say';
import { SetupCheck } from '../setup/setupCheck';
import { SetupContext } from '../setup/setupState';
import type { IndicatorInput } from '../status/indicator';
import { windowFacts } from '../window';

export interface WindowImagesOptions {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  readonly say: Say;
  /** the sandboxes of all windows, which can write their folders */
  readonly live: Pick<LiveSandboxes, 'find'>;
  /** called when the check of the setup has something new to say */
  readonly onChange: () => void;
}

/** What commands about images and the setup work with. */
export interface ImageParts {
  /** the extension's own folder on this computer */
  readonly storageDirectory: string;
  /** the resolved folders in which sandboxes of any window run on this computer */
  readonly busyFolders: () => Promise<readonly string[]>;
  readonly images: Images;
  readonly pulledImage: PulledImage;
  readonly imageBuilder: ImageBuilder;
  readonly setupCheck: SetupCheck;
}

/** What a sandbox needs before there is one: this computer's setup, and an image. */
export class WindowImages implements vscode.Disposable {
  /** what commands work with */
  readonly parts: ImageParts;
  private readonly setup: SetupContext;
  private readonly surroundings: ReturnType<typeof surroundingsOf>;

  constructor({ context, log, say, live, onChange }: WindowImagesOptions) {
    this.surroundings = surroundingsOf(context);
    const { environment, storageDirectory, ptyModules } = this.surroundings;
    const common = { environment, storageDirectory, log, say };
    const busyFolders = async (): Promise<string[]> => (await live.find()).map(({ workspace }) => workspace);
    const images = new Images({ ...common, otherWorkspaces: busyFolders });
    const pulledImage = new PulledImage({ ...common, ptyModules, images });
    const imageBuilder = new ImageBuilder({
      ...{ ...common, ptyModules, images },
      definitionsDirectory: context.asAbsolutePath(join('media', 'definitions')),
    });
    const setupCheck = new SetupCheck({
      ...{ ...common, pulledImage, onChange },
      log: (text) => log.info(text),
    });
    this.parts = { storageDirectory, busyFolders, images, pulledImage, imageBuilder, setupCheck };
    this.setup = new SetupContext(pulledImage, environment);
  }

  /** Tells `when` clauses about images. */
  announce(): void {
    void announceContext(this.parts.pulledImage);
  }

  /** Why nothing can be started in this window, if so: what is wrong with the window comes first. */
  obstacle(): Pick<IndicatorInput, 'obstacle' | 'isSetupObstacle'> {
    const ofWindow = firstObstacle(windowFacts())?.description;
    const ofSetup = this.parts.setupCheck.blocking;
    return {
      obstacle: ofWindow ?? ofSetup,
      isSetupObstacle: ofWindow === undefined && ofSetup !== undefined,
    };
  }

  /** Tells the welcome of the view what stands in the way. It runs a program, so only a view that is seen needs it. */
  updateWelcome(): Promise<void> {
    return this.setup.update();
  }

  /** Removes what a window left that was killed while it made an image. */
  async sweep(): Promise<void> {
    const { environment, storageDirectory } = this.surroundings;
    // nothing was made in a folder that can't be used
    const used = await pullEnvironmentOf(this.parts.images, environment).catch(() => environment);
    await sweepLeftovers(join(storageDirectory, 'images'), used);
  }

  dispose(): void {
    vscode.Disposable.from(this.parts.setupCheck, this.parts.images).dispose();
  }
}
