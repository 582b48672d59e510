import { inspect } from 'node:util';
import type * as vscode from 'vscode';
import { prepareSandbox } from '../../launch/prepare';
import type { SandboxRegistry } from '../../launch/sandboxRegistry';
import type { Message } from '../../sandbox/message';
import type { LaunchRequests } from '../sandboxes/launchRequests';
import type { Log } from '../log';
import type { StartSupervisor } from '../sandboxes/startSupervisorOnce';
import { ProofMemory } from './proofMemory';
import { ProofReport } from './proofReport';
import { ProofRunner } from './proofRunner';

export interface WindowProofOptions {
  readonly context: vscode.ExtensionContext;
  readonly log: Pick<Log, 'warn'>;
  readonly requests: LaunchRequests;
  readonly registry: SandboxRegistry;
  readonly startSupervisor: StartSupervisor;
  /** called when there is something new to say */
  readonly onProven: () => void;
}

/** All that a window has to do with proofs. */
export class WindowProof implements vscode.Disposable {
  readonly runner: ProofRunner;
  readonly report = new ProofReport();
  private readonly memory: ProofMemory;
  private readonly registry: SandboxRegistry;

  constructor({ context, log, requests, registry, startSupervisor, onProven }: WindowProofOptions) {
    this.memory = new ProofMemory(context.globalState);
    this.registry = registry;
    const { version } = context.extension.packageJSON as { readonly version: string };
    this.runner = new ProofRunner({
      ...{ requests, memory: this.memory, extensionVersion: version },
      ...{ prepare: prepareSandbox, startSupervisor, onProven },
      onProblem: (error) => log.warn(inspect(error)),
    });
  }

  /** What the last one has shown of what runs here. */
  describe(): Message {
    return this.memory.describe(this.runningImages(), Date.now());
  }

  /** Whether the last one says something of what runs here. */
  isThere(): boolean {
    return this.memory.isThere(this.runningImages(), Date.now());
  }

  private runningImages(): string[] {
    return this.registry.running().map(({ summary }) => summary.image);
  }

  dispose(): void {
    this.report.dispose();
  }
}
