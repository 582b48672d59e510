import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Canaries } from '../../src/probes/host/canaries';

/** A program that starts another one with a descriptor that nobody has closed. */
export function writeWrapper({ root, descriptorFolder }: Canaries, program: string): string {
  const path = join(root, 'node');
  const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
  if (!existsSync(path)) {
    const text = `#!/bin/sh\nexec 9<${quote(descriptorFolder)}\nexec ${quote(program)} "$@"\n`;
    writeFileSync(path, text, { mode: 0o700 });
  }
  return path;
}
