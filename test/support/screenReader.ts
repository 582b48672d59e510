import { Terminal } from '@xterm/headless';
import type { SandboxConnection } from '../../src/launch/connection';
import { waitUntil } from './waitUntil';

const dimensions = { columns: 120, rows: 30 };

/** xterm.js parses what one call was given in one go, which an attack can make take minutes: as src/supervisor/screen.ts. */
const pieceLength = 1024;

/** A terminal that nobody sees, attached to a sandbox: reads its screen and types into it. */
export class ScreenReader {
  private readonly terminal = new Terminal({
    cols: dimensions.columns,
    rows: dimensions.rows,
    allowProposedApi: true,
  });
  private received = 0;

  private constructor(private readonly connection: SandboxConnection) {
    connection.onOutput((data, resync) => {
      if (resync) {
        this.terminal.reset();
      }
      for (let start = 0; start < data.length; start += pieceLength) {
        this.write(data.slice(start, start + pieceLength));
      }
    });
  }

  static async attach(connection: SandboxConnection): Promise<ScreenReader> {
    const reader = new ScreenReader(connection);
    await connection.attachTerminal(dimensions);
    return reader;
  }

  private write(piece: string): void {
    this.received += piece.length;
    const { received } = this;
    this.terminal.write(piece, () => {
      this.connection.acknowledge(received);
    });
  }

  /** What can be seen now: the lines of the screen, without the scrollback. */
  text(): string {
    const { active } = this.terminal.buffer;
    return Array.from(
      { length: this.terminal.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    ).join('\n');
  }

  /** Resolves when the screen shows `expected`. */
  async shows(expected: RegExp, milliseconds?: number): Promise<void> {
    await waitUntil(
      `the screen shows ${expected}`,
      () => expected.test(this.text()),
      milliseconds,
      () => this.text(),
    );
  }

  type(text: string): void {
    this.connection.sendInput(text);
  }
}
