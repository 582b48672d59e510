import { access } from 'node:fs/promises';
import * as vscode from 'vscode';
import { findApptainer } from '../../apptainer/find';
import { contextKeys, settingsSection, type SetupState } from '../../contributions';
import type { Environment } from '../../sandbox/hostEnvironment';
import type { PulledImage } from '../images/pulledImage';
import { firstObstacle } from './obstacles';
import { readSettings } from '../settings';
import { diskFolders, realFolders, windowFacts } from '../window';
import { setContext } from '../setContext';

const obstacleStates: Readonly<Record<string, SetupState>> = {
  'window.notTrusted': 'untrusted',
  'window.noFolder': 'noFolder',
  'window.virtual': 'virtual',
};

/** Tells `when` clauses whether a sandbox could be started. Looks when it is asked to, because it runs a program. */
export class SetupContext {
  private latest = 0;

  constructor(
    private readonly pulledImage: PulledImage,
    private readonly environment: Environment,
  ) {}

  /** Looks and tells. Of several at the same time the last counts. */
  async update(): Promise<void> {
    this.latest += 1;
    const attempt = this.latest;
    const state = await this.look();
    if (attempt === this.latest) {
      await setContext(contextKeys.setup, state);
    }
  }

  /** The first thing that stands in the way; what is wrong with it is said when somebody starts a sandbox. */
  async look(): Promise<SetupState> {
    const obstacle = firstObstacle(windowFacts());
    if (obstacle) {
      return obstacleStates[obstacle.code] ?? 'unsuitable';
    }
    try {
      const settings = readSettings(vscode.workspace.getConfiguration(settingsSection, diskFolders()[0]));
      await findApptainer({
        configuredPath: settings.apptainerPath,
        forbiddenFolders: [...(await realFolders())],
        environment: this.environment,
      });
      const image = await this.pulledImage.orChosen(settings.image);
      return await access(image).then(
        () => 'ready' as const,
        () => 'noImage' as const,
      );
    } catch {
      return 'noApptainer';
    }
  }
}
