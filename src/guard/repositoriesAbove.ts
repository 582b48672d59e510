import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gitName } from '../sandbox/protectedPaths';
import type { Repository } from './protectedSearch';

/**
 * The repositories that a folder lies in: no agent can write their configuration, but it may name hooks and programs in
 * the folder. Those of other users do not count, for git neither (safe.directory of git-config(1)): they could name
 * anything of ours.
 * @param workspace real path
 */
export async function repositoriesAbove(workspace: string): Promise<Repository[]> {
  const found: Repository[] = [];
  for (let folder = workspace; folder !== dirname(folder);) {
    folder = dirname(folder);
    const path = join(folder, gitName);
    const stats = await lstat(path).catch(() => undefined);
    if (stats && [0, process.getuid?.()].includes(stats.uid)) found.push({ path, workTree: folder });
  }
  return found;
}
