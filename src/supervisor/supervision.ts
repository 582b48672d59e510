import type { IPty } from 'node-pty';
import type { LaunchPlan } from '../sandbox/launchPlan';
import type { SandboxSecrets } from '../sandbox/networkAccess';
import type { RunDirectory } from '../sandbox/runDirectory';
import type { SandboxSpecification } from '../sandbox/specification';
import type { IndexRegistration } from './indexRegistration';
import type { ReadyLine } from './protocol';
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

/** What runs once Apptainer was started. */
export interface StartedParts {
  readonly run: RunDirectory;
  readonly temporaryFiles: string;
  readonly plan: LaunchPlan;
  readonly sandbox: Sandbox;
  readonly gateway: SandboxGateway;
  readonly pty: IPty;
  readonly reaper: Reaper;
  readonly registration: IndexRegistration;
  readonly undo: UndoKeeper;
}

/** Waits until the windows have heard of the end, which needs nothing of the sandbox any more. */
export type Farewell = () => Promise<void>;

/** Connects those parts with each other, and waits for the end. */
export type Serve = (
  specification: SandboxSpecification,
  parts: StartedParts,
  options: SupervisionOptions,
) => Promise<Farewell>;
