import { closeSync, constants, openSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import * as vscode from 'vscode';
import { findApptainer } from '../../apptainer/find';
import { digestOf } from '../../host/fileDigest';
import type { PreparedSandbox } from '../../launch/prepare';
import type { PrepareRequest } from '../../launch/prepareRequest';
import { connectSandbox } from '../../launch/connect';
import { Canaries } from '../../probes/host/canaries';
import { runBattery } from '../../probes/host/battery';
import { OursTarget } from '../../probes/host/ours';
import type { TargetDescription } from '../../probes/host/target';
import { countHeld, proofDocument } from '../../probes/result';
import { planLaunch } from '../../sandbox/launchPlan';
import { runDirectoryAt } from '../../sandbox/runDirectory';
import type { SandboxSpecification } from '../../sandbox/specification';
import { UserError } from '../../sandbox/userError';
import { message } from '../../sandbox/message';
import type { LaunchRequests } from '../sandboxes/launchRequests';
import type { StartSupervisor } from '../sandboxes/startSupervisorOnce';
import { diskFolders, realPathOf } from '../window';
import type { ProofRun } from './proofContent';
import type { ProofMemory } from './proofMemory';

export interface ProofRunnerOptions {
  readonly requests: LaunchRequests;
  readonly memory: ProofMemory;
  readonly prepare: (request: PrepareRequest) => Promise<PreparedSandbox>;
  readonly startSupervisor: StartSupervisor;
  /** called when there is something new to say */
  readonly onProven: () => void;
  /** told why something could not be looked at, for the log */
  readonly onProblem: (error: unknown) => void;
  /** of this extension */
  readonly extensionVersion: string;
}

/** Starts a sandbox as for the agent of a folder, in which everything is tried to get out, and judges it. */
export class ProofRunner {
  private isRunning = false;

  constructor(private readonly options: ProofRunnerOptions) {}

  /** @throws UserError when no sandbox can be started; Cancelled */
  async run(folder: vscode.WorkspaceFolder): Promise<ProofRun> {
    if (this.isRunning) throw new UserError('proof.running', message('A proof is running already.'));
    this.isRunning = true;
    try {
      return await vscode.window.withProgress(
        {
          location: vscode.ProgressLocation.Notification,
          title: vscode.l10n.t('Trying to get out of the sandbox'),
          cancellable: true,
        },
        (progress, token) => this.prove(folder, progress, token),
      );
    } finally {
      this.isRunning = false;
    }
  }

  private async prove(
    folder: vscode.WorkspaceFolder,
    progress: vscode.Progress<{ increment?: number }>,
    token: vscode.CancellationToken,
  ): Promise<ProofRun> {
    const cancelling = new AbortController();
    token.onCancellationRequested(() => cancelling.abort());
    const { signal } = cancelling;
    const canaries = await plant();
    let shown = 0;
    const onProgress = (part: number): void => {
      progress.report({ increment: Math.max(0, part - shown) * 100 });
      shown = Math.max(shown, part);
    };
    try {
      const target = this.target(folder);
      let programDigest: string | undefined;
      const onProgram = async (path: string): Promise<void> => {
        programDigest = await digestOf(path, signal);
      };
      const { onProblem } = this.options;
      const told = { onProgress, onProgram, onProblem };
      const judged = await runBattery({ target, canaries, signal, ...told });
      const { specification } = target;
      if (!specification) throw new Error('nothing was started');
      const { path, identity } = specification.image;
      const time = Date.now();
      const description = { ...target.describe(), imageDigest: await digestOf(path, signal), programDigest };
      const versions = { ...description.versions, ...(await versionsOf(specification.apptainer, signal)) };
      await this.options.memory.keep({ ...countHeld(judged), time, image: { path, identity } });
      this.options.onProven();
      const document = proofDocument('ours', { ...description, versions }, judged, time);
      return { judged, document, time, folder: folder.uri.fsPath, image: path };
    } finally {
      await canaries.remove();
    }
  }

  private target(folder: vscode.WorkspaceFolder): OursTarget {
    const environmentOf = (canaries: Canaries): NodeJS.ProcessEnv => ({
      ...process.env,
      ...canaries.environment,
    });
    return new OursTarget({
      prepare: async (canaries) =>
        this.options.prepare(await this.request(folder, canaries.workspace, environmentOf(canaries))),
      startSupervisor: async (input, canaries) => {
        const folder = openSync(canaries.descriptorFolder, constants.O_RDONLY);
        try {
          const started = await this.options.startSupervisor(input, environmentOf(canaries), [folder]);
          canaries.planted('descriptor');
          return started;
        } finally {
          closeSync(folder);
        }
      },
      connect: connectSandbox,
      describe: (specification) => this.describe(specification),
    });
  }

  /** What an agent of this folder would get, but for the folder: what is tried must not harm it. */
  private async request(
    folder: vscode.WorkspaceFolder,
    workspace: string,
    environment: NodeJS.ProcessEnv,
  ): Promise<PrepareRequest> {
    const request = await this.options.requests.build(
      { kind: 'probes', folder },
      await realPathOf(folder.uri.fsPath),
    );
    const agentHome = request.settings.agentHome === 'none' ? 'none' : 'workspace';
    return {
      ...request,
      ...{ workspace, environment },
      otherWorkspaces: diskFolders().map(({ uri }) => uri.fsPath),
      settings: { ...request.settings, agentHome },
    };
  }

  private describe(specification: SandboxSpecification | undefined): TargetDescription {
    const versions = {
      extension: this.options.extensionVersion,
      editor: vscode.version,
      node: process.version,
    };
    if (!specification) return { argv: [], versions };
    const { file, arguments: args } = planLaunch(specification, runDirectoryAt('/RUN'), {});
    return { argv: [file, ...args], versions };
  }
}

/** @throws UserError when there is no room, or no right */
async function plant(): Promise<Canaries> {
  try {
    return await Canaries.plant({ environment: process.env });
  } catch (error) {
    const description = message(
      'What has to be hidden on this computer for a proof could not be hidden: is there room in your home folder and in {0}, and may you write there?',
      tmpdir(),
    );
    throw new UserError('proof.notPlanted', description, { kind: 'showLog' }, { cause: error });
  }
}

async function versionsOf(apptainer: string, signal: AbortSignal): Promise<Record<string, string>> {
  const request = { configuredPath: apptainer, forbiddenFolders: [], environment: process.env, signal };
  const { version } = await findApptainer(request);
  return { apptainer: version.text, kernel: release() };
}
