import * as vscode from 'vscode';
import { withoutCredentials } from '../sandbox/redaction';

/** So many of the last lines are kept in memory. */
const keptLines = 2000;
/** UTF-16 units of one entry */
const longestEntry = 8000;

/**
 * The log of the extension. Its last lines are kept in memory, too, for *Collect Diagnostics*: not every editor has a
 * file for each log, and none says when it was written.
 */
export class Log implements vscode.Disposable {
  private readonly channel = vscode.window.createOutputChannel('Sandboxed Agent', { log: true });
  private readonly lines: string[] = [];

  info(text: string): void {
    this.channel.info(this.keep('info', text));
  }

  warn(text: string): void {
    this.channel.warn(this.keep('warning', text));
  }

  error(text: string): void {
    this.channel.error(this.keep('error', text));
  }

  /** Opens it for the user. */
  show(): void {
    this.channel.show();
  }

  /** The last lines of this session, the oldest first. */
  recent(): string {
    return this.lines.join('\n');
  }

  dispose(): void {
    this.channel.dispose();
  }

  /** @returns what may be shown of it */
  private keep(level: string, written: string): string {
    const text = withoutCredentials(written);
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    this.lines.push(`${time} [${level}] ${text.slice(0, longestEntry)}`);
    this.lines.splice(0, this.lines.length - keptLines);
    return text;
  }
}
