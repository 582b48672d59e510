import type { SandboxConnection, Unsubscribe } from '../../launch/connection';
import { verdictHeadline } from '../../sandbox/explain';
import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { Dimensions, SandboxEnd, SandboxStatus } from '../../supervisor/protocol';
import { OutputAcknowledgement } from './acknowledgement';
import { endText } from './endText';
import { OwnWords } from './ownWords';
import { SettledDimensions } from './settledDimensions';

/** What a terminal of VS Code can be told. */
export interface TerminalSurface {
  write(text: string): void;
  /** The program is over: close the terminal, with the program's exit code. */
  end(exitCode: number | undefined): void;
}

/**
 * One terminal as a view on a sandbox. It shows how the start goes until the program says something, passes input,
 * output and size between the two, and at the end says in words what happened. Closing it lets go of the sandbox and
 * never ends it, because VS Code closes terminals on a reload too.
 */
export class TerminalSession {
  private readonly acknowledgement = new OutputAcknowledgement();
  private readonly dimensions = new SettledDimensions();
  private state: 'opening' | 'attached' | 'over' | 'closed' = 'opening';
  private connection: SandboxConnection | undefined;
  private subscriptions: Unsubscribe[] = [];
  private readonly ownWords = new OwnWords();
  private hasToldVerdict = false;

  /**
   * @param render turns a message into text that is safe to show
   * @param keepsOutput the terminal stays when the program has ended, so that its output can be read
   */
  constructor(
    private readonly surface: TerminalSurface,
    private readonly render: typeof formatMessage,
    private readonly keepsOutput = false,
  ) {}

  /** The terminal is on the screen; a terminal that is not shown has no size yet. */
  open(dimensions: Dimensions | undefined, greeting: Message): void {
    this.dimensions.update(dimensions);
    this.say(greeting);
  }

  /** The terminal has another size. */
  setDimensions(dimensions: Dimensions): void {
    this.dimensions.update(dimensions);
    if (this.state === 'attached') {
      this.connection?.resize(dimensions);
    }
  }

  /** Whether there is nothing more to come. */
  get isOver(): boolean {
    return this.state === 'over' || this.state === 'closed';
  }

  /** Whether it had let go of the sandbox, and said why, before it was closed. */
  get isConcluded(): boolean {
    return this.state === 'over';
  }

  /** Adds a line of our own, as long as the program has not shown anything. */
  say(text: Message): void {
    this.surface.write(this.ownWords.add(this.render(text)));
  }

  /** Becomes a view on this sandbox, and owns the connection from now on. */
  connect(connection: SandboxConnection): void {
    if (this.isOver) {
      connection.dispose();
      return;
    }
    this.connection = connection;
    this.subscriptions = [
      connection.onOutput((data) => this.show(data)),
      connection.onStatus((status) => this.follow(status)),
      connection.onClosed(() => this.connectionLost()),
    ];
    this.follow(connection.status);
    void this.attachWhenSettled(connection);
  }

  /** There will be no sandbox, and why. */
  fail(reason: Message): void {
    if (!this.isOver) {
      this.conclude(reason);
      this.writeLine(pressEnter);
    }
  }

  /** What the user typed, or what the terminal answered. */
  handleInput(data: string): void {
    if (this.state === 'over' && data.includes('\r')) {
      // its words said with which exit code; VS Code would say it once more in an error message
      this.surface.end(undefined);
    }
    if (this.state !== 'attached') {
      return;
    }
    const { input, parsed } = this.acknowledgement.answer(data);
    if (parsed !== undefined) {
      this.connection?.acknowledge(parsed);
    }
    if (input !== '') {
      this.connection?.sendInput(input);
    }
  }

  /** Types into the sandbox, in the place of the user. */
  type(text: string): void {
    this.connection?.sendInput(text);
  }

  /** The terminal is gone. */
  close(): void {
    if (this.state !== 'over') this.state = 'closed';
    this.letGo();
  }

  private async attachWhenSettled(connection: SandboxConnection): Promise<void> {
    const dimensions = await this.dimensions.settled();
    if (this.isOver) {
      return;
    }
    this.state = 'attached';
    try {
      await connection.attachTerminal(dimensions);
    } catch {
      this.connectionLost();
    }
  }

  private show(data: string): void {
    if (this.state !== 'attached' || data === '') {
      return;
    }
    const { before, after } = this.ownWords.around(data);
    const output = before + this.acknowledgement.mark(data) + after;
    for (let start = 0; start < output.length; start += pieceLength) {
      this.surface.write(output.slice(start, start + pieceLength));
    }
  }

  private follow({ phase, verdict, end }: SandboxStatus): void {
    if (phase === 'running' && verdict && !this.hasToldVerdict) {
      this.hasToldVerdict = true;
      this.say(
        message(
          'Verified from the host’s kernel facts: {0}. What runs in it starts now…',
          this.render(verdictHeadline(verdict)),
        ),
      );
    }
    if (phase === 'ended' && end) {
      this.finish(end);
    }
  }

  private finish(end: SandboxEnd): void {
    if (this.isOver) {
      return;
    }
    this.conclude(endText(end, this.render));
    if (end.reason === 'stopped' && !this.keepsOutput) {
      this.surface.end(undefined);
    } else if (end.reason === 'exited' && end.exitCode === 0 && !this.keepsOutput) {
      this.surface.end(0);
    } else {
      this.writeLine(pressEnter);
    }
  }

  private connectionLost(): void {
    if (this.isOver) {
      return;
    }
    this.conclude(
      message('The connection to the sandbox was lost. If it still runs, the command Attach brings it back.'),
    );
    this.writeLine(pressEnter);
  }

  private conclude(words: Message): void {
    this.state = 'over';
    this.letGo();
    this.surface.write(this.ownWords.areAlone ? '' : leaveProgramModes);
    this.writeLine(words);
  }

  private letGo(): void {
    this.dimensions.dispose();
    for (const unsubscribe of this.subscriptions) {
      unsubscribe();
    }
    this.subscriptions = [];
    this.connection?.dispose();
    this.connection = undefined;
  }

  private writeLine(text: Message): void {
    this.surface.write(`${this.render(text)}\r\n`);
  }
}

const pressEnter = message('Press Enter to close this terminal.');

/**
 * VS Code's terminal parses what it is given at once in one go. A piece of the dearest sequences that the filter lets
 * through then holds the window up for a quarter of a second (measured), one of 64 kB for four seconds.
 */
const pieceLength = 4096;

/**
 * What a program may have left behind when it was killed: the alternate screen, mouse, focus and colour reports,
 * bracketed paste, keyboard flags, a hidden cursor, colours. The cursor is saved first, because leaving the
 * alternate screen moves it to where it was saved last, even when there is no alternate screen to leave.
 */
const leaveProgramModes =
  '\x1b7' +
  [1049, 1000, 1002, 1003, 1004, 1006, 2004, 2026, 2027, 2031].map((mode) => `\x1b[?${mode}l`).join('') +
  // DECSTR: ASCII letters, the whole screen, a visible cursor, no colours: else the program could change how our words
  // look. Resetting the origin mode alone would move the cursor to the top, over what the program has printed.
  '\x1b[<99u\x1b[!p\r\n';
