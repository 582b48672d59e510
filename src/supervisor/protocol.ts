import { NotificationType, NotificationType0, RequestType, RequestType0 } from 'vscode-jsonrpc/node';
import type { ModelHealth, NetworkEntry } from '../gateway/gateway';
import type { Message } from '../sandbox/message';
import type { NetworkMode, SandboxKind } from '../sandbox/specification';
import type { SnapshotSummary } from '../snapshot/manifest';
import type { Verdict } from '../sandbox/verdict';

/**
 * What a supervisor and its clients say to each other: JSON-RPC over a byte stream (today the unix socket in
 * `control/`). Clients assume nothing about sharing a file system or a host with the supervisor. Raise the version
 * when an older peer would misunderstand; `stop` and `hello` keep their meaning for ever.
 */
export const protocolVersion = 2;

/** What does not change while a sandbox lives. Paths are the host's. */
export interface SandboxSummary {
  readonly id: string;
  readonly kind: SandboxKind;
  readonly workspace: string;
  readonly image: string;
  readonly network: NetworkMode;
  /** milliseconds since the epoch */
  readonly startedAt: number;
  readonly supervisorPid: number;
}

export type SandboxPhase = 'starting' | 'running' | 'stopping' | 'ended';

/** Why a sandbox is over. Only `broken`, `refused` and `failed` are worth a warning. */
export interface SandboxEnd {
  /**
   * `exited`: the program in the sandbox ended by itself. `stopped`: somebody asked. `refused`: the verdict was not
   * clean before the gate opened, nothing of the agent's ran. `broken`: a fact broke while it ran. `failed`: it
   * could not be started, or lost something that it needs. `detachedTooLong`, `deadline`: the limits of the specification.
   */
  readonly reason: 'exited' | 'stopped' | 'refused' | 'broken' | 'failed' | 'detachedTooLong' | 'deadline';
  /** of the program in the sandbox, 128+n for a signal; undefined when it never ran */
  readonly exitCode?: number;
  /** our own words; never text from inside the sandbox */
  readonly explanation?: Message;
  /** what Apptainer printed when it could not start, for the log only */
  readonly diagnostics?: string;
}

/** A line of the list of allowed hosts. */
export interface ReachedHost {
  /** as `gateway/hostEntry.ts` writes it */
  readonly entry: string;
  /** milliseconds since the epoch from which on the sandbox could reach it */
  readonly since: number;
}

/** What the gateway lets a sandbox reach now; all of it was allowed by the user. */
export interface SandboxReach {
  /** empty unless the network is restricted */
  readonly hosts: readonly ReachedHost[];
  readonly models: readonly { readonly providerId: string; readonly baseUrl: string }[];
  /** through which it is reached, without its password */
  readonly siteProxy?: string;
}

/**
 * Whether what the sandbox does to the workspace can be undone. `taking`: the files are being noted, and the gate is
 * closed. `failed`: they could not be, and the gate stays closed until somebody says that it may be opened without.
 */
export type UndoStatus =
  | { readonly state: 'taking'; readonly files: number; readonly bytes: number }
  | { readonly state: 'ready'; readonly summary: SnapshotSummary }
  | { readonly state: 'failed'; readonly explanation: Message }
  | { readonly state: 'without' };

export interface SandboxStatus {
  readonly phase: SandboxPhase;
  /** the latest verdict; look at its time before believing it */
  readonly verdict?: Verdict;
  readonly end?: SandboxEnd;
  /** how the models are doing that the sandbox reaches through the gateway; empty until something is known */
  readonly models?: readonly ModelHealth[];
  /** unknown of a supervisor of an earlier release */
  readonly reach?: SandboxReach;
  /** missing when nobody asked for it */
  readonly undo?: UndoStatus;
}

export interface Dimensions {
  readonly columns: number;
  readonly rows: number;
}

export interface Hello {
  readonly protocolVersion: number;
  /** the client only looks: it does not keep a sandbox alive that nobody is attached to */
  readonly observes?: true;
}

export interface HelloAnswer {
  readonly protocolVersion: number;
  readonly summary: SandboxSummary;
  readonly status: SandboxStatus;
}

/** First request of every client. */
export const helloRequest = new RequestType<Hello, HelloAnswer, void>('hello');
/** Ends the sandbox and answers when nothing of it is left. Idempotent. */
export const stopRequest = new RequestType0<SandboxEnd, void>('stop');
/** Makes the client a terminal: answers with nothing and sends the present screen, then what follows, as output. */
export const attachRequest = new RequestType<Dimensions, void, void>('attach');

export const inputNotification = new NotificationType<{ readonly data: string }>('input');
export const resizeNotification = new NotificationType<Dimensions>('resize');
/** The client's terminal has parsed this many UTF-16 units of output in all since it attached. */
export const acknowledgeNotification = new NotificationType<{ readonly parsed: number }>('acknowledge');

/** `resync` replaces all that was shown so far: the client fell behind and gets the present screen instead. */
export const outputNotification = new NotificationType<{ readonly data: string; readonly resync?: true }>(
  'output',
);
export const statusNotification = new NotificationType<SandboxStatus>('status');
/** A program in the sandbox wanted to use the clipboard and was not let. Sent once. */
export const clipboardHeldNotification = new NotificationType0('clipboardHeld');
/** Attempts to reach something: new ones, and those of before that have changed. Many are told at once. */
export const networkNotification = new NotificationType<{ readonly entries: readonly NetworkEntry[] }>(
  'network',
);
/** The latest attempts, the oldest first. */
export const networkLogRequest = new RequestType0<readonly NetworkEntry[], void>('networkLog');
/** Replaces the list of allowed hosts of the running sandbox. */
export const allowedHostsRequest = new RequestType<{ readonly hosts: readonly string[] }, void, void>(
  'allowedHosts',
);
/** Opens the gate though what was there can't be brought back. */
export const startWithoutUndoRequest = new RequestType0<void, void>('startWithoutUndo');
/** One line for the log channel. */
export const logNotification = new NotificationType<{ readonly line: string }>('log');

/** The one line of JSON that a supervisor prints on its standard output before it lets go of it. */
export type ReadyLine =
  | { readonly ready: true; readonly socket: string; readonly runDirectory: string; readonly pid: number }
  | { readonly ready: false; readonly code: string; readonly explanation: Message };
