import type { Terminal } from '@xterm/headless';
import { setTimeout as delay } from 'node:timers/promises';

/** Of every terminal that is measured. */
export const dimensions = { columns: 120, rows: 30 } as const;

/** What `opencode --version` says. */
export const versionLine = /\d+\.\d+\.\d+/;

const pollMilliseconds = 5;
const patienceMilliseconds = 120_000;

/** What a terminal shows. */
export function screenText(screen: Terminal): string {
  const { active } = screen.buffer;
  return Array.from(
    { length: screen.rows },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
  ).join('\n');
}

/**
 * Waits until a terminal shows something.
 * @returns milliseconds since `start`
 * @throws Error with what it shows instead after two minutes
 */
export async function painted(screen: Terminal, expected: RegExp, start: number): Promise<number> {
  while (!expected.test(screenText(screen))) {
    if (performance.now() - start > patienceMilliseconds) {
      throw new Error(`the screen does not show ${expected}, but:\n${screenText(screen)}`);
    }
    await delay(pollMilliseconds);
  }
  return performance.now() - start;
}
