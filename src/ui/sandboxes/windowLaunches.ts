import type * as vscode from 'vscode';
import { connectSandbox } from '../../launch/connect';
import { prepareSandbox, type PreparedSandbox } from '../../launch/prepare';
import type { SandboxRegistry } from '../../launch/sandboxRegistry';
import type { SandboxSpecification } from '../../sandbox/specification';
import { homeOpener } from '../sessions/homeOpener';
import { surroundingsOf } from '../setup/installation';
import { LaunchRequests } from './launchRequests';
import type { Log } from '../log';
import { checkModelBeforeStart } from '../models/modelBeforeStart';
import type { WindowNetwork } from '../network/networkLogWindow';
import { WindowProof } from '../proof/windowProof';
import type { PulledImage } from '../images/pulledImage';
import { SandboxLauncher } from './sandboxLauncher';
import { SandboxViews } from './sandboxViews';
import type { Say } from '../say';
import { readSiteProxy } from '../network/siteProxySetting';
import { scriptStarter } from './startScript';
import { startSupervisorOnce, supervisorSpawner, supervisorStarter } from './startSupervisorOnce';
import type { SandboxTerminals } from '../terminal/terminals';
import type { WindowModels } from '../models/windowModels';

export interface WindowLaunchesOptions {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  readonly say: Say;
  readonly registry: SandboxRegistry;
  readonly terminals: SandboxTerminals;
  readonly pulledImage: PulledImage;
  readonly models: WindowModels;
  readonly network: WindowNetwork;
  /** called with what is going to be started to be worked with */
  readonly onPrepared: (prepared: PreparedSandbox) => void;
  /** resolves when all is ready for what was prepared to be started */
  readonly noted: (specification: SandboxSpecification) => Promise<unknown>;
  /** called when there is something new to show */
  readonly onChange: () => void;
}

/** How sandboxes of this window are started: to be worked with, and for a proof. */
export class WindowLaunches {
  readonly launcher: SandboxLauncher;
  readonly views: SandboxViews;
  readonly proof: WindowProof;

  constructor(options: WindowLaunchesOptions) {
    const { context, log, say, registry, terminals, models, onPrepared, onChange } = options;
    const requests = requestsOf(options);
    this.views = new SandboxViews({ terminals, connect: connectSandbox });
    this.launcher = new SandboxLauncher({
      ...{ requests, registry, terminals, onPrepared, models: models.granted },
      prepare: prepareSandbox,
      openHome: homeOpener({ startScript: scriptStarter(context, log), say, log }),
      checkModel: (input, signal) => checkModelBeforeStart(input, say, signal),
      spawnSupervisor: supervisorSpawner(context, log),
      startSupervisor: async (input, supervisor) => {
        await options.noted(input.specification);
        return startSupervisorOnce(input, supervisor);
      },
      ...{ connect: connectSandbox, views: this.views },
      onStarting: onChange,
    });
    this.proof = new WindowProof({
      ...{ context, log, requests, registry },
      ...{ startSupervisor: supervisorStarter(context, log), onProven: onChange },
    });
  }
}

function requestsOf({ context, pulledImage, models, network }: WindowLaunchesOptions): LaunchRequests {
  return new LaunchRequests({
    surroundings: surroundingsOf(context),
    ...{ pulledImage, models: models.granted },
    network: {
      allowedHosts: (workspace) => network.allowedHosts.effectiveHosts(workspace),
      siteProxy: () => readSiteProxy(process.env),
    },
  });
}
