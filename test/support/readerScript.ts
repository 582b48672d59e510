import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { SessionReader, type SessionReaderOptions } from '../../src/launch/sessionReader';

interface Order {
  readonly id: number;
  readonly list?: true;
  readonly transcript?: object;
}

/** Stands for the reader's sandbox, of which only the lines matter here; the real one is in test/sandbox. */
export class Script extends EventEmitter {
  readonly orders: Order[] = [];
  isClosed = false;
  private resolveEnded: (exitCode: number | null) => void = () => undefined;
  readonly ended = new Promise<number | null>((resolve) => (this.resolveEnded = resolve));

  constructor(private readonly onLine: (line: string) => void) {
    super();
  }

  send(order: object): void {
    this.orders.push(order as Order);
    this.emit('order', order);
  }

  say(line: object | string): void {
    this.onLine(typeof line === 'string' ? line : JSON.stringify(line));
  }

  close(exitCode = 0): Promise<void> {
    this.isClosed = true;
    this.resolveEnded(exitCode);
    return Promise.resolve();
  }
}

/** Readers of sessions that start such scripts. */
export class ReaderScripts {
  readonly started: Script[] = [];
  /** what the readers have logged */
  readonly log: string[] = [];

  reader(times: Pick<SessionReaderOptions, 'silenceMilliseconds' | 'patience'>): SessionReader {
    return new SessionReader({
      start: (onLine) => {
        const script = new Script(onLine);
        this.started.push(script);
        return Promise.resolve(script);
      },
      onChange: () => undefined,
      onLog: (line) => this.log.push(line),
      ...times,
    });
  }

  /** Starts a reading, and returns the script with its order. */
  async refreshing(reader: SessionReader): Promise<{ script: Script; id: number; reading: Promise<void> }> {
    const reading = reader.refresh();
    await new Promise((resolve) => setImmediate(resolve));
    const script = this.started.at(-1);
    assert.ok(script);
    if (script.orders.length === 0) await once(script, 'order');
    return { script, id: script.orders.at(-1)?.id ?? 0, reading };
  }
}

/** What is said of a list as a whole when there is nothing special about it. */
export const listed = { gone: [], isPartial: false, newer: 0, older: 0, isCut: false };
