import { createRequire } from 'node:module';
import type * as nodePty from 'node-pty';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';

/**
 * Loads node-pty from the first folder where it loads: VS Code's own copy, which is built against an old glibc,
 * before others.
 *
 * @throws UserError `pty.notLoadable` when none does
 */
export function loadNodePty(folders: readonly string[]): typeof nodePty {
  const load = createRequire(__filename);
  const failures: string[] = [];
  for (const folder of folders) {
    try {
      return load(folder) as typeof nodePty;
    } catch (error) {
      failures.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new UserError(
    'pty.notLoadable',
    message(
      'No terminal can be made: the module node-pty loads from none of the places where it should be. Update VS Code.',
    ),
    { kind: 'showLog' },
    { cause: new Error(failures.join('\n')) },
  );
}

/** {@link loadNodePty} for later: what fails now fails then, with a reason. */
export function preloadNodePty(folders: readonly string[]): void {
  try {
    loadNodePty(folders);
  } catch {
    // said by whoever needs it
  }
}
