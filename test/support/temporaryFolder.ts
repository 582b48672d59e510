import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives each test of the suite around it an empty folder; returns the function that names the present one. They are
 * removed when the suite is over, because what a test has made may be writing there until its own `afterEach`.
 */
export function useTemporaryFolder(): () => string {
  const folders: string[] = [];
  beforeEach(() => {
    folders.push(mkdtempSync(join(realpathSync(tmpdir()), 'unit-test-')));
  });
  after(() =>
    Promise.all(
      folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })),
    ),
  );
  return () => folders.at(-1) ?? '';
}

/** Writes an executable script of /bin/sh. @returns its path */
export function writeProgram(path: string, script: string): string {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Whether these tests run as root, whom permissions do not stop. */
export const isRoot = process.getuid?.() === 0;
