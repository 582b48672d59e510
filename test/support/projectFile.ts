import { resolve } from 'node:path';

/** Where a file of the repository is, given its path from the root. Compiled tests lie in `out/test`. */
export function projectFile(path: string): string {
  return resolve(__dirname, '../../..', path);
}
