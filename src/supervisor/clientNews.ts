import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { NetworkEntry } from '../gateway/gateway';
import {
  clipboardHeldNotification,
  logNotification,
  networkNotification,
  outputNotification,
  statusNotification,
  type SandboxStatus,
} from './protocol';

/**
 * Notifications that a client has not taken yet, of which more would only fill the memory: a window that is stopped
 * reads nothing. One of attempts may hold hundreds, which an agent makes up in a moment; the others are short, and the
 * log's lines from before a client came are sent at once (`server.ts`).
 */
const mostUnsent = { attempts: 20, others: 400 };

/** What one client is told without having asked. Output has its own limits (`terminalClients.ts`). */
export class ClientNews {
  private unsent = 0;
  private hasMissedAttempts = false;

  /** @param attempts all that the sandbox tried to reach, as far as it is kept */
  constructor(
    private readonly connection: MessageConnection,
    private readonly attempts: () => readonly NetworkEntry[],
  ) {}

  output(data: string, resync: boolean): void {
    void this.send(() =>
      this.connection.sendNotification(outputNotification, resync ? { data, resync } : { data }),
    );
  }

  /** The next verdict comes in two seconds; the end comes once. */
  status(status: SandboxStatus): void {
    if (this.unsent < mostUnsent.others || status.end) {
      void this.send(() => this.connection.sendNotification(statusNotification, status));
    }
  }

  log(line: string): void {
    if (this.unsent < mostUnsent.others) {
      void this.send(() => this.connection.sendNotification(logNotification, { line }));
    }
  }

  clipboardHeld(): void {
    void this.send(() => this.connection.sendNotification(clipboardHeldNotification));
  }

  /** Who has missed some gets all that there are as soon as it reads again. */
  network(entries: readonly NetworkEntry[]): void {
    if (this.unsent >= mostUnsent.attempts) {
      this.hasMissedAttempts = true;
      return;
    }
    const told = this.hasMissedAttempts ? this.attempts() : entries;
    this.hasMissedAttempts = false;
    void this.send(() => this.connection.sendNotification(networkNotification, { entries: [...told] }));
  }

  /** A client that goes away while something is sent to it is no failure of ours: its end is noticed elsewhere. */
  private async send(notify: () => Promise<void>): Promise<void> {
    this.unsent += 1;
    try {
      await notify();
    } catch {
      // see above
    } finally {
      this.unsent -= 1;
    }
  }
}
