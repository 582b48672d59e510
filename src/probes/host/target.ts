import type { NetworkEntry } from '../../gateway/gateway';
import type { NetworkMode } from '../../sandbox/specification';
import type { Plan } from '../plan';
import type { NextStart } from '../seen';
import type { Canaries } from './canaries';

/** A sandbox in which the inside part runs, as its host sees it. */
export interface RunningTarget {
  readonly plan: Plan;
  readonly encodedPlan: string;
  readonly network: NetworkMode;
  /** processes of the host that started it and are no part of it */
  readonly hostPids: readonly number[];
  /** what the supervisor made, if there is one */
  readonly runDirectory?: string;
  /** calls with all that comes out on the terminal, from the beginning */
  onOutput(listener: (data: string) => void): void;
  /** types into the terminal */
  send(text: string): void;
  /** whether the window shows nothing for a while; only where it says what it has shown */
  holdBack?(holds: boolean): void;
  /** resolves when it is over, whoever ended it; with why, if it was not asked to end */
  readonly ended: Promise<string>;
  networkEntries(): Promise<readonly NetworkEntry[]>;
  /** ends it as its user would: with Stop, or by closing the terminal */
  stop(): Promise<void>;
}

/** Something that makes sandboxes. */
export interface Target {
  /** `ours`, `plain`, `bwrap`, `srt` */
  readonly name: string;
  /** what it is, and how it was started, for the report */
  describe(): TargetDescription;
  /** @throws UserError, or Error when it can't be started */
  start(canaries: Canaries, signal: AbortSignal): Promise<RunningTarget>;
  /** looks at the next start in the same folder; only where there is such a thing */
  startAgain?(canaries: Canaries, signal: AbortSignal): Promise<NextStart>;
}

export interface TargetDescription {
  readonly argv: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
  /** sha256 of the image file, if there is an image */
  readonly imageDigest?: string;
  /** sha256 of the program in it that makes the attempts */
  readonly programDigest?: string | undefined;
}

/** The plan as an argument: letters, digits and `+/=`. */
export function encodePlan(plan: Plan): string {
  return Buffer.from(JSON.stringify(plan), 'utf8').toString('base64');
}
