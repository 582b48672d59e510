import { message } from '../sandbox/message';
import type { SandboxSpecification } from '../sandbox/specification';
import { explainStartFailure, noOpencode, unsuitableOpencode } from '../sandbox/startFailures';
import { explainFullDisk } from './fullDisk';
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

/** Our companion's exit status when the opencode that runs it is too old (`companion/main.ts`). */
const tooOldStatus = 89;

/** Our companion's exit status when it could not open the ports behind which the gateway is. */
const noForwardStatus = 88;

const noForward = message(
  'The way to the network gateway could not be opened inside the sandbox, so the agent was not started: it would have waited for its model for ever. Start it again; if that happens every time, another program of the image uses the ports 3128 or 3129.',
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
  if (end.companionCame === true && exitCode === tooOldStatus) {
    return { reason: 'failed', exitCode, explanation: unsuitableOpencode };
  }
  if (end.companionCame === true && exitCode === noForwardStatus) {
    return { reason: 'failed', exitCode, explanation: noForward };
  }
  const explanation = exitCode === 0 ? undefined : explainFullDisk(end.specification);
  return explanation ? { reason: 'failed', exitCode, explanation } : { reason: 'exited', exitCode };
}
