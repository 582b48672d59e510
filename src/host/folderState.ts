import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderState } from '../sandbox/folderChanges';
import { agentHomeName } from '../sandbox/paths';
import { entryPath, openFolder } from './safeFiles';

/** The agent's memory and git's own files are no results. */
const skipped = new Set([agentHomeName, '.git']);
const maximumFiles = 50_000;
/** folders within folders; two descriptors are open for each */
const maximumDepth = 64;

/**
 * Looks at all files of a folder that an agent can write, without opening any. Links below it are not followed, and
 * what vanishes or may not be read is left out.
 */
export async function readFolderState(folder: string): Promise<FolderState> {
  const walk = { files: new Map<string, string>(), entries: 0, truncated: false };
  await visit(await realpath(folder).catch(() => folder), '', 0, walk);
  return walk;
}

interface Walk {
  readonly files: Map<string, string>;
  /** folders count, too */
  entries: number;
  truncated: boolean;
}

/** @param path where the folder is now; `name` is its path below the first one */
async function visit(path: string, name: string, depth: number, walk: Walk): Promise<void> {
  const folder = await openFolder(path).catch(() => undefined);
  if (folder === undefined) {
    return;
  }
  try {
    // read piece by piece: a folder can have any number of entries
    for await (const entry of await opendir(`/proc/self/fd/${folder.fd}`)) {
      if (name === '' && skipped.has(entry.name)) {
        continue;
      }
      walk.entries += 1;
      if (walk.entries > maximumFiles) {
        walk.truncated = true;
        return;
      }
      await look(entryPath(folder, entry.name), join(name, entry.name), depth, walk);
    }
  } catch {
    // a folder that may not be read
  } finally {
    await folder.close();
  }
}

async function look(path: string, name: string, depth: number, walk: Walk): Promise<void> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  if (stats === undefined) {
    return;
  }
  if (!stats.isDirectory()) {
    // a user can set mtime, but not ctime
    walk.files.set(name, `${stats.ino} ${stats.size} ${stats.ctimeNs}`);
  } else if (depth < maximumDepth) {
    await visit(path, name, depth + 1, walk);
  } else {
    walk.truncated = true;
  }
}
