import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What tells one state of a file from another, by its path below the folder. */
export interface FolderState {
  readonly files: ReadonlyMap<string, string>;
  /** there were more files than are looked at */
  readonly truncated: boolean;
}

export interface FileChange {
  readonly path: string;
  readonly change: 'new' | 'changed' | 'gone';
}

/** The agent's memory and git's own files are no results. */
const skipped = new Set(['agent-home', '.git']);
const maximumFiles = 50_000;

/** Looks at all files of a folder. Links are not followed; what vanishes meanwhile is left out. */
export async function readFolderState(folder: string): Promise<FolderState> {
  const files = new Map<string, string>();
  const pending = [''];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const entry of await readdir(join(folder, path), { withFileTypes: true }).catch(() => [])) {
      const entryPath = join(path, entry.name);
      if (path === '' && skipped.has(entry.name)) {
        continue;
      }
      if (files.size >= maximumFiles) {
        return { files, truncated: true };
      }
      if (entry.isDirectory()) {
        pending.push(entryPath);
      } else {
        const stats = await lstat(join(folder, entryPath), { bigint: true }).catch(() => undefined);
        // a user can set mtime, but not ctime
        files.set(entryPath, `${stats?.ino} ${stats?.size} ${stats?.ctimeNs}`);
      }
    }
  }
  return { files, truncated: false };
}

/** What changed between two looks at a folder, by path. Of a truncated look nothing is said to be gone. */
export function compareFolderStates(before: FolderState, after: FolderState): FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, state] of after.files) {
    const earlier = before.files.get(path);
    if (earlier === undefined ? !before.truncated : earlier !== state) {
      changes.push({ path, change: earlier === undefined ? 'new' : 'changed' });
    }
  }
  for (const path of before.files.keys()) {
    if (!after.truncated && !after.files.has(path)) {
      changes.push({ path, change: 'gone' });
    }
  }
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1));
}
