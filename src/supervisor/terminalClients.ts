import type { Dimensions } from './protocol';
import type { Screen } from './screen';

/**
 * Limits in UTF-16 units, measured in a real workbench: the program is paused only for our own parser, never for a
 * slow window; a window with more than `behind` unacknowledged gets nothing until it has caught up to `caughtUp`,
 * and then the present screen. `caughtUp` must exceed the step in which a window acknowledges (32 k), else the tail
 * of a flood is never acknowledged and both sides wait for ever.
 */
const limits = { pause: 100_000, resume: 20_000, behind: 200_000, caughtUp: 80_000 };

/** How long the end of a program may wait for its last output, in milliseconds. */
const longestFarewell = 500;

/** What the windows of a program need of its screen. */
export type TerminalScreen = Pick<
  Screen,
  'pending' | 'dimensions' | 'write' | 'resize' | 'whenParsed' | 'snapshot' | 'dispose'
>;

/** A window, as far as output goes. */
export interface TerminalSink {
  /** `resync` replaces everything shown so far */
  send(data: string, resync: boolean): void;
}

/** The pseudo-terminal, as far as flow control and size go. */
export interface FlowControl {
  pause(): void;
  resume(): void;
  resize(dimensions: Dimensions): void;
}

interface Client {
  readonly sink: TerminalSink;
  sent: number;
  acknowledged: number;
  isBehind: boolean;
  /** output since it came, which its first snapshot has not; undefined once that was sent */
  held: string[] | undefined;
}

/** Leaves the alternate screen and resets the terminal (RIS), before a snapshot is drawn. */
const clearTerminal = '\x1b[?1049l\x1bc';

/** Sends what the program prints to the screen and to every attached window, without letting a flood pile up. */
export class TerminalClients {
  private readonly clients = new Map<TerminalSink, Client>();
  private isPaused = false;

  constructor(
    private readonly screen: TerminalScreen,
    private readonly flow: FlowControl,
  ) {}

  /**
   * Whether a window answers the program's queries that are being parsed now; while none does, the screen must. A window
   * gets none of those from before it came: they are not in its first snapshot.
   */
  get areAnswering(): boolean {
    return [...this.clients.values()].some(({ held }) => held === undefined);
  }

  /** Whether this window attached last: it alone answers the program's queries. */
  isLatest(sink: TerminalSink): boolean {
    return [...this.clients.keys()].at(-1) === sink;
  }

  /** Output of the program. */
  write(data: string): void {
    this.screen.write(data, () => this.afterProgress());
    for (const client of this.clients.values()) {
      if (client.held) client.held.push(data);
      else this.output(client, data);
    }
    this.afterProgress();
  }

  /** Adds a window of this size; it gets the present screen first. */
  attach(sink: TerminalSink, dimensions: Dimensions): void {
    this.resize(dimensions);
    const client: Client = { sink, sent: 0, acknowledged: 0, isBehind: false, held: [] };
    this.clients.set(sink, client);
    this.screen.whenParsed(() => {
      const held = client.held ?? [];
      client.held = undefined;
      this.send(client, this.screen.snapshot(), false);
      held.forEach((data) => this.output(client, data));
    });
  }

  detach(sink: TerminalSink): void {
    this.clients.delete(sink);
  }

  /** A window has shown `parsed` units in all. */
  acknowledge(sink: TerminalSink, parsed: number): void {
    const client = this.clients.get(sink);
    if (client) {
      client.acknowledged = Math.min(Math.max(client.acknowledged, parsed), client.sent);
      this.afterProgress();
    }
  }

  /** The last window to say its size wins. */
  resize(dimensions: Dimensions): void {
    const present = this.screen.dimensions;
    if (present.columns !== dimensions.columns || present.rows !== dimensions.rows) {
      this.screen.resize(dimensions);
      this.flow.resize(dimensions);
    }
  }

  /**
   * The program has ended: whoever is behind gets the last screen now. Resolves when it was sent, or when parsing
   * what is left takes so long that the end should be told first.
   */
  finish(): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, longestFarewell).unref();
      this.screen.whenParsed(() => {
        for (const client of this.clients.values()) {
          this.catchUp(client);
        }
        resolve();
      });
    });
  }

  dispose(): void {
    this.screen.dispose();
  }

  private output(client: Client, data: string): void {
    if (client.isBehind) return;
    if (client.sent - client.acknowledged > limits.behind) client.isBehind = true;
    else this.send(client, data, false);
  }

  private catchUp(client: Client): void {
    if (client.isBehind) {
      client.isBehind = false;
      this.send(client, clearTerminal + this.screen.snapshot(), true);
    }
  }

  private send(client: Client, data: string, resync: boolean): void {
    client.sent += data.length;
    client.sink.send(data, resync);
  }

  private afterProgress(): void {
    const { pending } = this.screen;
    if (!this.isPaused && pending > limits.pause) {
      this.isPaused = true;
      this.flow.pause();
    } else if (this.isPaused && pending < limits.resume) {
      this.isPaused = false;
      this.flow.resume();
    }
    if (pending > 0) {
      return;
    }
    for (const client of this.clients.values()) {
      if (client.sent - client.acknowledged < limits.caughtUp) {
        this.catchUp(client);
      }
    }
  }
}
