import { readerLine, type MessageLine, type ReaderLine } from '../opencode/sessions/lines';
import { SessionStore } from '../opencode/sessions/sessionStore';
import { tryParseJson } from '../sandbox/parseAs';
import { notFoundStatus } from '../supervisor/scriptInput';
import { ReaderOrder, usualPatience, type ReaderPatience, type TranscriptRequest } from './readerOrder';
import type { ScriptProcess } from './scriptProcess';

export interface SessionReaderOptions {
  /** starts the reader's sandbox @throws UserError */
  readonly start: (
    onLine: (line: string) => void,
  ) => Promise<Pick<ScriptProcess, 'send' | 'close' | 'ended'>>;
  /** called when there is something new to show */
  readonly onChange: () => void;
  readonly onLog: (line: string) => void;
  /** how long the reader may be silent while it has something to do */
  readonly silenceMilliseconds?: number;
  /** how long it may take for all that it is asked for, silent or not */
  readonly patience?: ReaderPatience;
}

/** A database that hangs or is huge costs at most this. The first row of 1.5 GB comes after 0.1 s (measured). */
const silence = 10_000;
/** A reader that keeps to its word says nothing that nobody has asked for; a little of it does no harm. */
const mostUnasked = 1024 * 1024;

/**
 * Reads the sessions of one home by means of a script in a sandbox, which stays for further readings until it is
 * closed. Nothing that the script says is believed but what fits its schema; when it says anything else, too
 * much, nothing for too long, or does not come to an end with what it was asked for, it is ended.
 */
export class SessionReader {
  readonly store = new SessionStore();
  private process: ReturnType<SessionReaderOptions['start']> | undefined;
  private readonly orders = new Map<number, ReaderOrder>();
  private lastOrder = 0;
  /** characters of the running sandbox that belong to no order */
  private unasked = 0;
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;
  private isWanted = false;
  /** what was given up ends by itself, but not at once */
  private closing: Promise<unknown> | undefined;

  constructor(private readonly options: SessionReaderOptions) {}

  /**
   * Reads what has changed; asked while it reads, it reads once more after that. Resolves when the newest state is
   * read, sums too.
   * @throws UserError when the sandbox can't be started
   */
  refresh(): Promise<void> {
    this.isWanted = true;
    this.goOnWithNext();
    this.reading ??= this.readWhileWanted();
    return this.reading;
  }

  /** Reads messages of one session. @returns undefined when it could not be read @throws UserError */
  transcript(request: TranscriptRequest): Promise<MessageLine[] | undefined> {
    return this.order(request);
  }

  /** Ends the reader's sandbox, if there is one, and what is read or still to be read. The next reading starts another. */
  async close(): Promise<void> {
    this.isWanted = false;
    await this.end();
  }

  private async end(): Promise<void> {
    const { process, closing } = this;
    this.process = undefined;
    this.settleAll();
    const own = process?.then(
      (script) => script.close(),
      () => undefined,
    );
    this.closing = Promise.all([closing, own]);
    await this.closing;
  }

  /** What has changed does not wait for thousands of sums: the reader takes them over into its next answer. */
  private goOnWithNext(): void {
    if (!this.isWanted) return;
    for (const order of this.orders.values()) if (order.isListed) order.resolve(undefined);
  }

  private async readWhileWanted(): Promise<void> {
    try {
      while (this.isWanted) {
        this.isWanted = false;
        await this.order();
      }
    } finally {
      // at once: who asks a moment later must not be given a reading that is over
      this.reading = undefined;
    }
  }

  /** The order counts from now on: closed while its sandbox starts, it is settled without being sent. */
  private order(transcript?: TranscriptRequest): Promise<MessageLine[] | undefined> {
    const starting = this.running();
    this.lastOrder += 1;
    const id = this.lastOrder;
    return new Promise((resolve, reject) => {
      const order = new ReaderOrder(id, transcript, resolve, this.options.patience ?? usualPatience);
      this.orders.set(id, order);
      starting.then(
        (process) => {
          if (!this.orders.has(id)) return;
          order.sent();
          this.expectWord();
          process.send({ id, ...(transcript ? { transcript } : { list: true }) });
        },
        (error: Error) => {
          this.orders.delete(id);
          reject(error);
        },
      );
    });
  }

  private running(): ReturnType<SessionReaderOptions['start']> {
    if (this.process) return this.process;
    // what the last one told is shown until this one tells something else
    let isFirst = true;
    this.unasked = 0;
    const starting = this.options.start((line) => {
      if (this.process !== starting) return;
      if (isFirst) this.store.clear();
      isFirst = false;
      this.take(line);
    });
    this.process = starting;
    starting.then(
      ({ ended }) =>
        void ended.then((exitCode) => {
          if (this.process === starting) this.giveUp(exitCode === notFoundStatus ? 'noOpencode' : 'lost');
        }),
      () => {
        if (this.process === starting) this.process = undefined;
      },
    );
    return starting;
  }

  private take(text: string): void {
    const line = tryParseJson(readerLine, text);
    const order = line && this.orders.get(line.id);
    if (!line) {
      this.options.onLog('the reader of sessions said what it should not');
      this.giveUp('malformed');
      return;
    }
    if (!order) this.unasked += text.length;
    if (order ? !order.takes(text.length) : this.unasked > mostUnasked) {
      this.giveUp('tooMuch');
      return;
    }
    if (order) this.obeyed(order, line);
  }

  private obeyed(order: ReaderOrder, line: ReaderLine): void {
    if ('messages' in line) {
      this.settle(order, line.messages);
    } else if (order.transcript === undefined) {
      this.settleBefore(order);
      if (this.store.apply(line)) this.options.onChange();
      if ('listed' in line) {
        order.listed();
        this.goOnWithNext();
      }
    }
    if ('done' in line || 'problem' in line) this.settle(order, undefined);
    this.expectWord();
  }

  private giveUp(problem: 'tooSlow' | 'tooMuch' | 'lost' | 'malformed' | 'noOpencode'): void {
    this.store.fail(problem);
    this.options.onChange();
    void this.end();
  }

  /** From now on the next word must come in time, and so must the end of each order that was sent. */
  private expectWord(): void {
    clearTimeout(this.timer);
    const ends = [...this.orders.values()].flatMap(({ until }) => until ?? []);
    const patience = Math.min(
      this.options.silenceMilliseconds ?? silence,
      ...ends.map((until) => until - performance.now()),
    );
    this.timer = ends.length === 0 ? undefined : setTimeout(() => this.giveUp('tooSlow'), patience);
  }

  private settle(order: ReaderOrder, messages: MessageLine[] | undefined): void {
    this.orders.delete(order.id);
    this.expectWord();
    order.resolve(messages);
  }

  /** A reader that keeps to its word has ended the listing before; another one must not make them many. */
  private settleBefore({ id }: ReaderOrder): void {
    for (const order of this.orders.values()) {
      if (order.id < id && order.transcript === undefined) this.settle(order, undefined);
    }
  }

  private settleAll(): void {
    [...this.orders.values()].forEach((order) => this.settle(order, undefined));
  }
}
