import type { Message } from './message';
import type { NetworkMode } from './specification';

/** One fact about a live container that the verdict rests on; each is one line of the report. */
export type FactName =
  | 'mountNamespace'
  | 'processNamespace'
  | 'ipcNamespace'
  | 'userNamespace'
  | 'hostnameNamespace'
  | 'network'
  | 'capabilities'
  | 'noNewPrivileges'
  | 'seccomp'
  | 'hostPaths'
  | 'protectedPaths'
  | 'kernelInterfaces'
  | 'rootFileSystem'
  | 'image'
  | 'launcher'
  | 'descriptors'
  | 'environment';

/** `gate`: the container waits and nothing of the agent's ran. `running`: the gate is open. */
export type JudgedPhase = 'gate' | 'running';

/** `broken` is fatal: the sandbox is not started, or killed. `degraded` is a finding: shown in red, kept running. */
export type LineStatus = 'holds' | 'degraded' | 'broken';

export interface VerdictLine {
  readonly fact: FactName;
  readonly status: LineStatus;
  /** what was seen; host paths and kernel values only, never text that the sandbox chose */
  readonly detail: Message;
}

/** A path of the host that is visible in the container. */
export interface VisiblePath {
  readonly hostPath: string;
  readonly containerPath: string;
  readonly mode: 'readOnly' | 'readWrite';
}

/** What the kernel's facts say of one live container at one moment. */
export interface Verdict {
  readonly state: 'isolated' | 'degraded' | 'broken';
  readonly network: NetworkMode;
  readonly lines: readonly VerdictLine[];
  readonly visiblePaths: readonly VisiblePath[];
  /** milliseconds since the epoch at which the facts were read */
  readonly time: number;
}

/** A verdict older than this says nothing about now (design: "reads not verified"). */
export const verdictLifetimeMilliseconds = 5000;

/** Whether a verdict is too old to be shown as the present state. Times in milliseconds since the epoch. */
export function isStale(verdict: Verdict, now: number): boolean {
  // a clock that was set back makes no old verdict new
  return Math.abs(now - verdict.time) > verdictLifetimeMilliseconds;
}
