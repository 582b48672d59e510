import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The names in `/tmp` that fit and are this user's: other people's sandboxes come and go there meanwhile. */
export function ourTemporaryNames(pattern: RegExp): string[] {
  const owner = process.getuid?.();
  return readdirSync('/tmp').filter(
    (name) => pattern.test(name) && lstatSync(join('/tmp', name), { throwIfNoEntry: false })?.uid === owner,
  );
}
