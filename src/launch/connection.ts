import type { NetworkEntry } from '../gateway/gateway';
import type { UserError } from '../sandbox/userError';
import type { Dimensions, SandboxEnd, SandboxStatus, SandboxSummary } from '../supervisor/protocol';

/** A client's end of a supervisor's socket. All callbacks run on the event loop, in the order of the messages. */
export interface SandboxConnection {
  readonly summary: SandboxSummary;
  /** the latest status that was heard */
  readonly status: SandboxStatus;
  /** why nothing but {@link stop} can be used, if so: the supervisor speaks another version of the protocol */
  readonly restriction?: UserError | undefined;
  onStatus(listener: (status: SandboxStatus) => void): Unsubscribe;
  onOutput(listener: (data: string, resync: boolean) => void): Unsubscribe;
  /** A program inside wanted to use the clipboard and was not let; once. */
  onClipboardHeld(listener: () => void): Unsubscribe;
  /** The agent tried to reach something, or an attempt of before has changed. Only for who does not only look. */
  onNetwork(listener: (entry: NetworkEntry) => void): Unsubscribe;
  /** The latest attempts to reach something, the oldest first. */
  networkLog(): Promise<readonly NetworkEntry[]>;
  /** Replaces the list of allowed hosts of the running sandbox; entries as `gateway/hostEntry.ts` writes them. */
  setAllowedHosts(hosts: readonly string[]): Promise<void>;
  /** Let the agent begin though what is there could not be brought back. */
  startWithoutUndo(): Promise<void>;
  onLog(listener: (line: string) => void): Unsubscribe;
  /** The stream ended. `clean` is true when the sandbox said before that it had ended. */
  onClosed(listener: (clean: boolean) => void): Unsubscribe;
  /** Become a terminal of these dimensions; the present screen arrives as output first. */
  attachTerminal(dimensions: Dimensions): Promise<void>;
  sendInput(data: string): void;
  resize(dimensions: Dimensions): void;
  /** Say that `parsed` UTF-16 units of output in all have been shown. */
  acknowledge(parsed: number): void;
  /** End the sandbox; resolves when nothing of it is left. */
  stop(): Promise<SandboxEnd>;
  /** Let go without ending the sandbox. */
  dispose(): void;
}

export type Unsubscribe = () => void;
