import type { IPty } from 'node-pty';
import type { LaunchPlan } from '../sandbox/launchPlan';
import type { SandboxSecrets } from '../sandbox/networkAccess';
import type { RunDirectory } from '../sandbox/runDirectory';
import type { SandboxSpecification } from '../sandbox/specification';
import type { IndexRegistration } from './indexRegistration';
import type { ReadyLine, SandboxStatus } from './protocol';
import type { Reaper } from './reaper';
import type { Sandbox } from './sandbox';
import type { SandboxGateway, StartGateway } from './sandboxGateway';
import type { UndoKeeper } from './undoKeeper';

/** What is told of a sandbox besides its specification. */
export interface SupervisionOptions {
  /** path of the bundled companion script */
  readonly companion: string;
  /** path of the bundled script that tries to get out */
  readonly probes?: string;
  readonly extensionVersion: string;
  readonly secrets: SandboxSecrets;
  /** called once, when clients can connect */
  readonly onReady: (line: ReadyLine) => void;
  /** makes another plan of the launch; tests take isolation away with it, to see it noticed */
  readonly changePlan?: (plan: LaunchPlan) => LaunchPlan;
  /** tests put loopback in the place of the world */
  readonly startGateway?: StartGateway;
}

/** What there is as soon as Apptainer was started. */
export interface StartedApptainer {
  readonly run: RunDirectory;
  readonly temporaryFiles: string;
  readonly plan: LaunchPlan;
  readonly pty: IPty;
  readonly reaper: Reaper;
  /** aborted when the reaper could not be started, or ended before it was released */
  readonly reaperGone: AbortSignal;
  readonly registration: IndexRegistration;
}

/** Waits until the windows have heard of the end, which needs nothing of the sandbox any more. */
export type Farewell = () => Promise<void>;

/** Takes over then, and waits for the end. @param onStatus called with every status of the sandbox */
export type SuperviseStarted = (
  specification: SandboxSpecification,
  started: StartedApptainer,
  options: SupervisionOptions,
  onStatus: (status: SandboxStatus) => void,
) => Promise<Farewell>;

/** What runs then. */
export interface StartedParts extends StartedApptainer {
  readonly sandbox: Sandbox;
  readonly gateway: SandboxGateway;
  readonly undo: UndoKeeper;
}

/** Connects those parts with each other, and waits for the end. */
export type Serve = (
  specification: SandboxSpecification,
  parts: StartedParts,
  options: SupervisionOptions,
) => Promise<Farewell>;
