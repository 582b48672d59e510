import { lstatSync, readdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removeTree } from '../../host/removeTree';
import type { Environment } from '../../sandbox/hostEnvironment';

export const rootPrefix = 'sandbox-proof-';
export const homePrefix = '.sandbox-probe-';

/** No run takes so long: what is older was left by an editor that was killed. */
const forgottenMilliseconds = 60 * 60_000;

/** A supervisor writes its last record after it has told its end. */
const mostTries = 20;

/** What decides where canaries are put. */
export interface Surroundings {
  /** the user's */
  readonly environment: Environment;
  /** where the workspace and what is beside it is made; the system's folder for temporary files if nothing is said */
  readonly parent?: string;
}

/** Where canaries are put. */
export function placesOf({ parent, environment }: Surroundings): {
  readonly root: string;
  readonly home: string;
} {
  return { root: parent ?? tmpdir(), home: environment['HOME'] ?? '/' };
}

/** Removes files and folders of ours; what fails keeps nothing else from being removed. */
export async function removeEach(paths: readonly (string | undefined)[]): Promise<void> {
  for (const path of paths) if (path !== undefined) await removeOne(path);
}

async function removeOne(path: string): Promise<void> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return;
    try {
      await (stats.isDirectory() ? removeTree(path) : unlink(path));
      return;
    } catch {
      await delay(50);
    }
  }
}

/** Removes what a run has left that could not remove it. */
export async function removeForgotten(options: Surroundings): Promise<void> {
  const { root, home } = placesOf(options);
  await removeEach([
    ...forgotten(root, /^sandbox-proof-[A-Za-z0-9]{6}$/),
    ...forgotten(home, /^\.sandbox-probe-[0-9a-f]{16}$/),
    ...forgotten('/tmp', /^secret-[0-9a-f]{32}$/),
    ...forgotten(options.environment['XDG_RUNTIME_DIR'] ?? '/dev/shm', /^sandbox-probe-[0-9a-f]{16}-secret$/),
    ...forgotten('/dev/shm', /^sandbox-probe-[0-9a-f]{16}-secret$/),
  ]);
}

function forgotten(folder: string, pattern: RegExp): string[] {
  const isOurs = (path: string): boolean => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.uid === process.getuid?.() && Date.now() - (stats?.mtimeMs ?? 0) > forgottenMilliseconds;
  };
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .map((name) => join(folder, name))
      .filter(isOurs);
  } catch {
    return [];
  }
}
