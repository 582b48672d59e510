import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { runDirectoryAt, runDirectoryPrefix, type RunDirectory } from '../sandbox/runDirectory';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';

/** A unix socket's path, with its final NUL (sun_path of unix(7)). */
const longestSocketPath = 107;

/** What a run directory is filled with before the sandbox starts. */
export interface RunDirectoryContent {
  readonly seccompProfile: object;
  readonly opencodeConfiguration: object;
  /** path of the bundled companion script */
  readonly companion: string;
}

/**
 * Makes and fills the run directory of one sandbox: everything 0700 or 0600, the gate a FIFO.
 *
 * @param parents tried in order; a parent that does not work is passed over
 * @throws UserError `runDirectory.notPossible`
 */
export function createRunDirectory(parents: readonly string[], content: RunDirectoryContent): RunDirectory {
  const failures: unknown[] = [];
  for (const parent of parents) {
    try {
      return createIn(parent, content);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new UserError(
    'runDirectory.notPossible',
    message(
      'The private folder that a sandbox needs can’t be made in {0}: is there space, may you write there, and is /usr/bin/mkfifo installed? The log says more.',
      parents.join(', '),
    ),
    { kind: 'showLog' },
    { cause: new AggregateError(failures) },
  );
}

/** @throws when the folder can't be made and filled; nothing of it is left then */
function createIn(parent: string, content: RunDirectoryContent): RunDirectory {
  const run = runDirectoryAt(mkdtempSync(`${parent}/${runDirectoryPrefix}`));
  try {
    if (Buffer.byteLength(run.companionSocket) > longestSocketPath) {
      throw new Error(`${run.companionSocket} is too long for a socket`);
    }
    fill(run, content);
    return run;
  } catch (error) {
    removeRunDirectory(run.path);
    throw error;
  }
}

function fill(run: RunDirectory, content: RunDirectoryContent): void {
  for (const folder of [run.control, run.inside, run.opencodeConfiguration, run.empty, run.home]) {
    mkdirSync(folder, { mode: 0o700 });
  }
  writeFileSync(run.seccompProfile, JSON.stringify(content.seccompProfile), { mode: 0o600 });
  writeFileSync(`${run.opencodeConfiguration}/opencode.json`, JSON.stringify(content.opencodeConfiguration), {
    mode: 0o600,
  });
  copyFileSync(content.companion, run.companion);
  // Node has no mkfifo(3)
  execFileSync('/usr/bin/mkfifo', ['-m', '600', run.gate], { env: {}, stdio: 'pipe' });
}

/** Removes a run directory; nothing is said when it is gone already. Links in it are not followed. */
export function removeRunDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
}
