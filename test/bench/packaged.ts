import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../../scripts/setup/paths';

/** What the repository makes and needs for itself. */
const notLinked = ['dist', 'out', '.cache', '.git'];

/** A folder like the repository's, with the bundles as they are packaged. */
export interface Packaged {
  readonly folder: string;
  remove(): void;
}

/** @throws Error when they can't be built */
export function buildAsPackaged(): Packaged {
  const folder = mkdtempSync(join(tmpdir(), 'packaged-'));
  for (const name of readdirSync(repositoryFolder).filter((entry) => !notLinked.includes(entry))) {
    symlinkSync(join(repositoryFolder, name), join(folder, name));
  }
  const built = spawnSync(process.execPath, ['scripts/build.mjs', '--production'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(built.stderr);
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}
