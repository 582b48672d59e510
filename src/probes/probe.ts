import { message, type Message } from '../sandbox/message';
import type { Plan } from './plan';
import type { Attack } from './inside/attack';
import type { Exposure, Seen } from './seen';

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
  /** not held, as this extension says of every sandbox without root: nothing is wrong with this one */
  readonly isKnownLimit?: true;
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
  /**
   * Paths of the host that this is about. By the kernel's mounts no program of the sandbox may come to them; for
   * groups that write, none may write them. That holds whatever runs inside, and whether or not it has tried.
   */
  readonly places?: (plan: Plan, runDirectory: string | undefined) => readonly (string | undefined)[];
  /** a namespace that must be the sandbox's own, by which all of the kind is out of reach */
  readonly apart?: 'pid' | 'ipc' | 'net';
  /** whether the host saw that it was tried, where it can see that also of what is refused */
  readonly isTried?: (seen: Seen, probe: Probe) => boolean;
  /** files that the attempt leaves in the folder, and what is in them then */
  readonly marks?: (plan: Plan) => readonly { readonly path: string; readonly text: string }[];
  /** what is refused leaves no trace: that it was tried is the word of the image's own program */
  readonly leavesNoTrace?: boolean;
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

/** Something that no sandbox of this extension withstands, and that it promises nowhere. */
export function knownLimit(evidence: Message): Judgement {
  return { result: 'notHeld', evidence, isKnownLimit: true };
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
  const judgement = probe.judge(seen, probe);
  // the others run the opencode that we gave them, and may keep by a filter of calls what their mounts show
  if (seen.target !== 'ours') return judgement;
  return (judgement.result === 'held' ? contradiction(probe, seen) : undefined) ?? judgement;
}

/** A probe that says that it got nowhere may be lying: what the host sees for itself that speaks against it. */
function contradiction(probe: Probe, seen: Seen): Judgement | undefined {
  const { places, apart, isTried, marks } = probe;
  const { kernel } = seen;
  if (isTried?.(seen, probe) === false || (marks && !seen.marked.has(probe.id))) {
    return notHeld(message('The host saw no trace of the attempt, so it proves nothing.'));
  }
  if (!places && apart === undefined) return undefined;
  if (!kernel) return notHeld(message('The host could not read the kernel’s facts of the sandbox.'));
  if (apart !== undefined && kernel.sharedNamespaces.includes(apart)) {
    return notHeld(message('The host’s /proc shows that the {0} namespace is the host’s.', apart));
  }
  const open = placesOf(probe, seen.plan, seen.runDirectory).find(
    (path) => !mayBe(probe.group, kernel.exposed.get(path)),
  );
  return open === undefined
    ? undefined
    : notHeld(message('The host’s /proc shows that the sandbox can come to it, whatever it says.'));
}

function mayBe(group: Group, exposure: Exposure | undefined): boolean {
  const isRead = group !== 'write' && group !== 'hostExecuted';
  return exposure === 'none' || (exposure === 'readOnly' && !isRead);
}

/** The places of a probe that are there. */
export function placesOf({ places }: Probe, plan: Plan, runDirectory: string | undefined): string[] {
  return (places?.(plan, runDirectory) ?? []).filter((path) => path !== undefined);
}
