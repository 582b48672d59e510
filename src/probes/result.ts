import { formatMessage } from '../sandbox/message';
import type { JudgedProbe } from './host/battery';
import type { TargetDescription } from './host/target';
import type { Group, Result } from './probe';

/** One run of the battery as data, for whoever wants to keep it. */
export interface ProofDocument extends TargetDescription {
  readonly target: string;
  /** ISO 8601 */
  readonly time: string;
  readonly summary: ProofCounts;
  readonly probes: readonly {
    readonly id: string;
    readonly group: Group;
    readonly title: string;
    readonly result: 'held' | 'not held' | 'not applicable';
    /** what the host saw */
    readonly evidence: string;
    /** whether only the image's own program says that it was tried at all */
    readonly leavesNoTrace: boolean;
    /** what the probe said of itself, which is no evidence */
    readonly said: string;
  }[];
}

/** How a run came out. What is not applicable counts for nothing. */
export interface ProofCounts {
  readonly held: number;
  readonly judged: number;
}

/** How many held of those that could be judged. */
export function countHeld(judged: readonly JudgedProbe[]): ProofCounts {
  const results = judged.map(({ judgement }) => judgement.result);
  const held = results.filter((result) => result === 'held').length;
  return { held, judged: results.filter((result) => result !== 'notApplicable').length };
}

const words: Readonly<Record<Result, ProofDocument['probes'][number]['result']>> = {
  held: 'held',
  notHeld: 'not held',
  notApplicable: 'not applicable',
};

/** A run as a document in English. @param time milliseconds since the epoch */
export function proofDocument(
  target: string,
  description: TargetDescription,
  judged: readonly JudgedProbe[],
  time: number,
): ProofDocument {
  return {
    ...{ target, time: new Date(time).toISOString(), ...description, summary: countHeld(judged) },
    probes: judged.map(({ probe, judgement, said }) => ({
      ...{ id: probe.id, group: probe.group, title: formatMessage(probe.title) },
      ...{ result: words[judgement.result], evidence: formatMessage(judgement.evidence) },
      ...{ leavesNoTrace: probe.leavesNoTrace === true, said },
    })),
  };
}
