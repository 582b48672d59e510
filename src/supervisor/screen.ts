import { SerializeAddon } from '@xterm/addon-serialize';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/headless';
import type { Dimensions } from './protocol';

/** VS Code's own default: what a user could have scrolled back to survives a re-attach. */
const scrollbackLines = 1000;

/**
 * Private modes (DECSET, ctlseqs of xterm) that a snapshot replays: cursor keys, wrapping, cursor, keypad, mouse,
 * focus, paste, and what opencode sets besides. Not those that SerializeAddon writes itself by switching the buffer,
 * nor 2026, synchronised output, which would freeze a terminal that never sees its end. A list, because a program can
 * make up any number of numbers.
 */
const replayedModes = new Set([
  1, 7, 9, 12, 25, 45, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 2004, 2027, 2031,
]);

/**
 * xterm.js lets the event loop go on between two pieces, not within one; a piece full of the dearest sequences then
 * takes some 60 ms (measured).
 */
const pieceLength = 1024;

/** Styles and modes behind the last movement take no more (some twenty modes of nine units). */
const longestEnding = 1000;

/** A relative movement (CUU, CUD, CUF, CUB), with styles and modes behind it. */
const movesCursorAtEnd = /\x1b\[\d*[A-D](?:\x1b\[[?>]?[\d;]*[a-zA-Z])*$/;

/**
 * The present screen of the program in the sandbox, kept without a window, so that attaching shows it. Measured:
 * widths as in VS Code need Unicode 11, and SerializeAddon leaves out mouse and other private modes and the kitty
 * keyboard flags, which are therefore recorded and replayed here.
 */
export class Screen {
  private readonly terminal: Terminal;
  private readonly serializer = new SerializeAddon();
  private readonly privateModes = new Map<number, 'h' | 'l'>();
  private keyboardFlags: number[] = [];
  private unparsed = 0;

  /**
   * @param dimensions first size
   * @param onAnswer what the terminal answers to a query of the program (DA, DSR, colours …)
   */
  constructor(dimensions: Dimensions, onAnswer: (answer: string) => void) {
    this.terminal = new Terminal({
      cols: dimensions.columns,
      rows: dimensions.rows,
      scrollback: scrollbackLines,
      allowProposedApi: true,
    });
    this.terminal.loadAddon(this.serializer);
    this.terminal.loadAddon(new Unicode11Addon());
    this.terminal.unicode.activeVersion = '11';
    this.terminal.onData(onAnswer);
    this.recordModes();
  }

  /** UTF-16 units that were written, but not yet parsed. */
  get pending(): number {
    return this.unparsed;
  }

  get dimensions(): Dimensions {
    return { columns: this.terminal.cols, rows: this.terminal.rows };
  }

  /** Parses output; `parsed` is called whenever some of it is on the screen. */
  write(data: string, parsed: () => void): void {
    this.unparsed += data.length;
    for (let start = 0; start < data.length; start += pieceLength) {
      const piece = data.slice(start, start + pieceLength);
      this.terminal.write(piece, () => {
        this.unparsed -= piece.length;
        parsed();
      });
    }
  }

  resize({ columns, rows }: Dimensions): void {
    this.terminal.resize(columns, rows);
  }

  /** Calls back when everything written so far is on the screen. */
  whenParsed(callback: () => void): void {
    this.terminal.write('', callback);
  }

  /** Text and escape sequences that make a fresh terminal show the present screen, cursor, scrollback and modes. */
  snapshot(): string {
    const modes = [...this.privateModes].map(([mode, action]) => `\x1b[?${mode}${action}`);
    const keyboard = this.keyboardFlags.map((flags) => `\x1b[>${flags}u`);
    const screen = this.serializer.serialize({ scrollback: scrollbackLines });
    return [screen, this.cursorAfter(screen), ...modes, ...keyboard].join('');
  }

  dispose(): void {
    this.terminal.dispose();
  }

  /** SerializeAddon moves the cursor back from the end of what it wrote, one column too far if that line was full. */
  private cursorAfter(screen: string): string {
    const { cursorX, cursorY } = this.terminal.buffer.active;
    // behind a full line it waits for the next character to begin a new one, which no sequence can say
    const isPlaced = movesCursorAtEnd.test(screen.slice(-longestEnding)) && cursorX < this.terminal.cols;
    return isPlaced ? `\x1b[${cursorY + 1};${cursorX + 1}H` : '';
  }

  /** Handlers return false, so that the terminal itself acts on the sequence too. */
  private recordModes(): void {
    const { parser } = this.terminal;
    for (const action of ['h', 'l'] as const) {
      parser.registerCsiHandler({ prefix: '?', final: action }, (parameters) => {
        for (const mode of parameters.flat().filter((candidate) => replayedModes.has(candidate))) {
          this.privateModes.set(mode, action);
        }
        return false;
      });
    }
    // kitty keyboard protocol: push and pop
    parser.registerCsiHandler({ prefix: '>', final: 'u' }, ([flags]) => {
      this.keyboardFlags = [...this.keyboardFlags, Number(flags ?? 0)].slice(-16);
      return false;
    });
    parser.registerCsiHandler({ prefix: '<', final: 'u' }, ([count]) => {
      this.keyboardFlags = this.keyboardFlags.slice(0, -Math.max(1, Number(count ?? 1)) || 0);
      return false;
    });
    // links are not part of a snapshot, and terminals remember each for as long as they have scrollback
    parser.registerOscHandler(8, () => true);
    // RIS: a full reset
    parser.registerEscHandler({ final: 'c' }, () => {
      this.privateModes.clear();
      this.keyboardFlags = [];
      return false;
    });
  }
}
