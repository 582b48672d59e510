import { isFull } from '../host/freeSpace';
import { message, type Message } from '../sandbox/message';
import type { SandboxSpecification } from '../sandbox/specification';
import { explainStartFailure, noOpencode, unsuitableOpencode } from '../sandbox/startFailures';
import type { SandboxEnd } from './protocol';

/** How the process that was started as `apptainer` ended, and how far its sandbox had come. */
export interface StarterEnd {
  readonly specification: SandboxSpecification;
  readonly wasAtGate: boolean;
  /** our companion ran and got its order; undefined where there is none */
  readonly companionCame: boolean | undefined;
  readonly exitCode: number;
  /** of Apptainer itself, not of the program in the sandbox */
  readonly signal: number | undefined;
  /** what Apptainer printed before the gate */
  readonly diagnostics: string;
}

const killedFromOutside = message(
  'Apptainer was killed by something outside the sandbox. The sandbox has been ended with it.',
);

/** What it means for the sandbox that its starter ended although nobody asked. */
export function explainStarterEnd(end: StarterEnd): SandboxEnd {
  const { exitCode, diagnostics } = end;
  if (end.signal) {
    return { reason: 'failed', explanation: killedFromOutside };
  }
  if (!end.wasAtGate) {
    return { reason: 'failed', exitCode, explanation: explainStartFailure(diagnostics), diagnostics };
  }
  if (end.companionCame === false) {
    return { reason: 'failed', exitCode, explanation: exitCode === 127 ? noOpencode : unsuitableOpencode };
  }
  const explanation = exitCode === 0 ? undefined : explainFullDisk(end.specification);
  return explanation ? { reason: 'failed', exitCode, explanation } : { reason: 'exited', exitCode };
}

/** opencode writes 0.6 MB into an empty home before it shows anything (measured). */
const neededBytes = 1_000_000;

/**
 * Why an agent has no room to work, if it has none. With a full home opencode shows an empty screen for ever, or dies
 * in ways that nobody understands (measured with 1.18).
 */
export function explainFullDisk({ home, workspace }: SandboxSpecification): Message | undefined {
  const folders = [...(home.kind === 'folder' ? [home.folder.path] : []), workspace.path];
  const full = folders.find((folder) => isFull(folder, neededBytes));
  return full === undefined
    ? undefined
    : message('The disk that holds {0} is full. Free some space there, then start again.', full);
}
