import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { promisify } from 'node:util';
import { runDirectoryAt, runDirectoryPrefix, type RunDirectory } from '../sandbox/runDirectory';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { randomHex } from './random';
import { removeTree } from './removeTree';
import { UnsafeFileError } from './safeFiles';

/** A unix socket's path, with its final NUL (sun_path of unix(7)). */
const longestSocketPath = 107;

/** What a run directory is filled with before the sandbox starts. */
export interface RunDirectoryContent {
  readonly seccompProfile: object;
  readonly opencodeConfiguration: object;
  /** path of the bundled companion script */
  readonly companion: string;
  /** path of the bundled script that tries to get out, for a sandbox in which it runs */
  readonly probes?: string | undefined;
}

/**
 * Makes and fills the run directory of one sandbox: everything 0700 or 0600, the gate a FIFO.
 *
 * @param parents tried in order; a parent that does not work is passed over
 * @param announce is told where the run directory will be before it is made, so that it is found and removed should
 *   this process be killed meanwhile
 * @throws UserError `runDirectory.notPossible`, and what `announce` throws
 */
export async function createRunDirectory(
  parents: readonly string[],
  content: RunDirectoryContent,
  announce: (run: RunDirectory) => Promise<void>,
): Promise<RunDirectory> {
  const failures: unknown[] = [];
  for (const parent of parents) {
    // in its plain form, without which the sweep takes it for something else
    const run = runDirectoryAt(resolve(parent, `${runDirectoryPrefix}${randomHex(4)}`));
    if (Buffer.byteLength(run.companionSocket) > longestSocketPath) {
      failures.push(new Error(`${run.companionSocket} is too long for a socket`));
      continue;
    }
    await announce(run);
    try {
      // fails when something of that name is there
      mkdirSync(run.path, { mode: 0o700 });
    } catch (error) {
      failures.push(error);
      continue;
    }
    try {
      await fill(run, content);
      return run;
    } catch (error) {
      await removeRunDirectory(run.path);
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

async function fill(run: RunDirectory, content: RunDirectoryContent): Promise<void> {
  for (const folder of [run.control, run.inside, run.opencodeConfiguration, run.empty, run.home]) {
    mkdirSync(folder, { mode: 0o700 });
  }
  // Node has no mkfifo(3)
  const gate = promisify(execFile)('/usr/bin/mkfifo', ['-m', '600', run.gate], { env: {} });
  try {
    writeFileSync(run.seccompProfile, JSON.stringify(content.seccompProfile), { mode: 0o600 });
    writeFileSync(
      `${run.opencodeConfiguration}/opencode.json`,
      JSON.stringify(content.opencodeConfiguration),
      {
        mode: 0o600,
      },
    );
    writeFileSync(run.emptyCatalogue, '{}', { mode: 0o600 });
    copyFileSync(content.companion, run.companion);
    if (content.probes !== undefined) copyFileSync(content.probes, run.probes);
  } finally {
    await gate;
  }
}

/**
 * Removes a run directory, if that is what it is: by its name, a real folder, and ours. Links in it are not followed,
 * and nothing is said when it is gone already.
 * @throws when something of it stayed
 */
export async function removeRunDirectory(path: string): Promise<void> {
  if (isRunDirectory(path)) {
    await removeTree(path).catch((error: unknown) => {
      if (!(error instanceof UnsafeFileError)) throw error;
    });
  }
}

/** A path that is not in its plain form (a slash at its end, above all) could lead through a link. */
export function isRunDirectory(path: string): boolean {
  return resolve(path) === path && basename(path).startsWith(runDirectoryPrefix);
}

/** Removes what the container had of a run directory; the supervisor's socket stays, so that it can tell the end. */
export function removeContainerSide(run: RunDirectory): void {
  for (const folder of [run.inside, run.home]) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
  }
}
