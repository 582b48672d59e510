import type { NetworkEntry } from '../../src/gateway/gateway';
import type { SandboxConnection, Unsubscribe } from '../../src/launch/connection';
import type { Dimensions, SandboxEnd, SandboxStatus, SandboxSummary } from '../../src/supervisor/protocol';
import type { Verdict } from '../../src/sandbox/verdict';
import type { UserError } from '../../src/sandbox/userError';
import { message } from '../../src/sandbox/message';

export const summary: SandboxSummary = {
  id: '0123456789abcdef',
  kind: 'agent',
  workspace: '/data/project',
  image: '/data/opencode.sif',
  network: 'none',
  startedAt: 1_700_000_000_000,
  supervisorPid: 4711,
};

/** A verdict in which everything holds, changed as a test needs it. */
export function verdictOf(change: Partial<Verdict> = {}): Verdict {
  return {
    state: 'isolated',
    network: 'none',
    lines: [
      { fact: 'capabilities', status: 'holds', detail: message('none, in any set') },
      {
        fact: 'network',
        status: 'holds',
        detail: message('own net namespace with nothing but an empty loopback'),
      },
    ],
    visiblePaths: [{ hostPath: '/data/project', containerPath: '/data/project', mode: 'readWrite' }],
    time: 1_700_000_100_000,
    ...change,
  };
}

/** An attempt to reach a host that was let through, changed as a test needs it. */
export function networkEntryOf(change: Partial<NetworkEntry> = {}): NetworkEntry {
  return {
    id: 1,
    time: 1_700_000_100_000,
    host: 'pypi.org',
    port: 443,
    kind: 'tunnel',
    verdict: 'allowed',
    bytesSent: 0,
    bytesReceived: 0,
    ...change,
  };
}

/** A client's end whose other end is the test. */
export class FakeConnection implements SandboxConnection {
  status: SandboxStatus;
  restriction: UserError | undefined;
  readonly sent: string[] = [];
  /** what the sandbox tried to reach so far */
  readonly attempts: NetworkEntry[] = [];
  isDisposed = false;
  private readonly statusListeners = new Set<(status: SandboxStatus) => void>();
  private readonly outputListeners = new Set<(data: string, resync: boolean) => void>();
  private readonly logListeners = new Set<(line: string) => void>();
  private readonly clipboardListeners = new Set<() => void>();
  private readonly networkListeners = new Set<(entry: NetworkEntry) => void>();
  private readonly closedListeners = new Set<(clean: boolean) => void>();
  private attached: (dimensions: Dimensions) => void = () => undefined;
  /** resolves when a terminal is attached */
  readonly attachment = new Promise<Dimensions>((resolve) => {
    this.attached = resolve;
  });

  constructor(
    readonly summary: SandboxSummary,
    status: SandboxStatus = { phase: 'running', verdict: verdictOf() },
  ) {
    this.status = status;
  }

  onStatus(listener: (status: SandboxStatus) => void): Unsubscribe {
    return listen(this.statusListeners, listener);
  }

  onOutput(listener: (data: string, resync: boolean) => void): Unsubscribe {
    return listen(this.outputListeners, listener);
  }

  onClipboardHeld(listener: () => void): Unsubscribe {
    return listen(this.clipboardListeners, listener);
  }

  onNetwork(listener: (entry: NetworkEntry) => void): Unsubscribe {
    return listen(this.networkListeners, listener);
  }

  networkLog(): Promise<readonly NetworkEntry[]> {
    return Promise.resolve(this.attempts);
  }

  setAllowedHosts(hosts: readonly string[]): Promise<void> {
    this.sent.push(`allow ${hosts.join(' ')}`);
    return Promise.resolve();
  }

  startWithoutUndo(): Promise<void> {
    this.sent.push('startWithoutUndo');
    return Promise.resolve();
  }

  onLog(listener: (line: string) => void): Unsubscribe {
    return listen(this.logListeners, listener);
  }

  onClosed(listener: (clean: boolean) => void): Unsubscribe {
    return listen(this.closedListeners, listener);
  }

  attachTerminal(dimensions: Dimensions): Promise<void> {
    this.attached(dimensions);
    return Promise.resolve();
  }

  sendInput(data: string): void {
    this.sent.push(`input ${data}`);
  }

  resize({ columns, rows }: Dimensions): void {
    this.sent.push(`resize ${columns}x${rows}`);
  }

  acknowledge(parsed: number): void {
    this.sent.push(`acknowledge ${parsed}`);
  }

  stop(): Promise<SandboxEnd> {
    const end: SandboxEnd = { reason: 'stopped', exitCode: 137 };
    this.sent.push('stop');
    this.becomes({ phase: 'ended', end });
    return Promise.resolve(end);
  }

  dispose(): void {
    this.isDisposed = true;
  }

  /** The sandbox says what its state is. */
  becomes(status: SandboxStatus): void {
    this.status = status;
    this.statusListeners.forEach((listener) => listener(status));
  }

  /** The program prints. */
  prints(data: string): void {
    this.outputListeners.forEach((listener) => listener(data, false));
  }

  /** A program wants to use the clipboard and is not let. */
  holdsClipboard(): void {
    this.clipboardListeners.forEach((listener) => listener());
  }

  /** The agent tries to reach something, or an attempt of before changes. */
  reaches(entry: NetworkEntry): void {
    this.attempts.push(entry);
    this.networkListeners.forEach((listener) => listener(entry));
  }

  /** The stream ends. */
  closes(clean: boolean): void {
    this.closedListeners.forEach((listener) => listener(clean));
  }

  /** The supervisor has something for the log. */
  logs(line: string): void {
    this.logListeners.forEach((listener) => listener(line));
  }
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): Unsubscribe {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
