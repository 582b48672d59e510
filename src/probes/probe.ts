import { message, type Message } from '../sandbox/message';
import type { Plan } from './plan';
import type { Attack } from './inside/attack';
import type { Seen } from './seen';

/** What a probe attacks; the order is that of the report. */
export const groupNames = [
  'read',
  'write',
  'environment',
  'process',
  'privilege',
  'network',
  'hostExecuted',
  'terminal',
  'selfDowngrade',
  'limits',
] as const;
export type Group = (typeof groupNames)[number];

/** A probe that did not run proves nothing, so it has not held. */
export type Result = 'held' | 'notHeld' | 'notApplicable';

/** What came of one probe. `evidence` is what the host saw, in our own words. */
export interface Judgement {
  readonly result: Result;
  readonly evidence: Message;
}

/** A way for the sandbox to reach the host, on which the host waits; one for each probe that needs one. */
export type DoorKind = 'tcp' | 'tcp6' | 'tcpOther' | 'udp' | 'lan' | 'named' | 'abstract' | 'path';

/** Why a probe can't be judged here, if so. */
export type Inapplicable = (seen: Seen) => Message | undefined;

/**
 * One attempt to get out. `attack` runs inside, under Bun, as the agent would; everything else runs on the host.
 * What the attack returns is only searched for secrets that nobody inside can know: its own word counts for nothing.
 */
export interface Probe {
  /** `group.name` */
  readonly id: string;
  readonly group: Group;
  /** what is tried */
  readonly title: Message;
  readonly door?: DoorKind;
  /** files and folders of the host that must stay as they are, or not come to be */
  readonly victims?: (plan: Plan) => readonly string[];
  /** why this can't be judged here, if so; otherwise it is run and judged */
  readonly inapplicable?: Inapplicable;
  /** @returns what it has got, and how far it came */
  readonly attack: (attack: Attack) => string | Promise<string>;
  readonly judge: (seen: Seen, probe: Probe) => Judgement;
}

/** The sandbox withstood. */
export function held(evidence: Message): Judgement {
  return { result: 'held', evidence };
}

/** Something got out. */
export function notHeld(evidence: Message): Judgement {
  return { result: 'notHeld', evidence };
}

/** Decides on one probe: one that can't be judged here, one that did not run, and what the evidence says of the rest. */
export function judgeProbe(probe: Probe, seen: Seen): Judgement {
  const reason = probe.inapplicable?.(seen);
  if (reason) return { result: 'notApplicable', evidence: reason };
  const report = seen.reports.get(probe.id);
  if (!report) return notHeld(message('The probe did not run, so it proves nothing.'));
  if (report.failure !== undefined) {
    return notHeld(message('The probe failed before it had tried, so it proves nothing.'));
  }
  return probe.judge(seen, probe);
}
