import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import type { Plan } from '../plan';
import { fillBytes, floodBytes } from '../seen';

/** Where it says that all was written; for the host, which would not believe what it reads there. */
export function floodMark({ workspace, token }: Plan): string {
  return `${workspace}/flooded-${token}`;
}

/** Writes more than a window can show, as fast as the terminal takes it. */
export function flood(plan: Plan): void {
  const block = `${'flood '.repeat(21)}\n`.repeat(32);
  for (let written = 0; written < floodBytes; written += block.length) writeSync(1, block);
  writeFileSync(floodMark(plan), '');
}

/** Writes more temporary files than a sandbox with little room may have. */
export function fill({ token }: Plan): void {
  const block = Buffer.alloc(1024 * 1024, 1);
  const file = openSync(`/tmp/fill-${token}`, 'w');
  for (let written = 0; written < fillBytes; written += block.length) writeSync(file, block);
  closeSync(file);
}
