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
