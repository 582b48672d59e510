import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every cell of 120 × 29 in a colour of its own: 43 kB, which makes 2.6 MB/s at 60 Hz. */
const frame = Array.from({ length: 29 }, (_row, row) =>
  Array.from({ length: 120 }, (_cell, column) => `\x1b[38;5;${100 + ((row + column) % 100)}m#`).join(''),
).join('\r\n');

const script = `
frame=0
while :; do
  frame=$((frame + 1))
  printf '\\033[H'
  cat frame.txt
  printf '\\r\\n\\033[mframe %d ' $frame
  echo $frame > painted
  sleep 0.0166
done
`;

/** What to type into a shell whose folder has been through {@link writePainter}. */
export const paintCommand = 'sh repaint.sh';

/**
 * Puts a program into a workspace that repaints a whole screen about 60 times a second, for ever. Below each picture
 * stands how many there were: `frame 17`.
 */
export function writePainter(workspace: string): void {
  writeFileSync(join(workspace, 'frame.txt'), frame);
  writeFileSync(join(workspace, 'repaint.sh'), script);
}

/** How many pictures the program has painted; 0 as long as that is not written down. */
export function painted(workspace: string): number {
  return Number(readFileSync(join(workspace, 'painted'), 'utf8'));
}
