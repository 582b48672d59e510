import type { FileHandle } from 'node:fs/promises';
import { entryPath, openFolder } from '../host/safeFiles';

/**
 * Opens a folder below another as a place, step by step: no link on the way is followed, and the path may be longer
 * than the kernel takes in one piece.
 * @param path below `root`, empty for `root` itself
 * @throws UnsafeFileError when something on the way is no folder
 */
export async function openBelow(root: string, path: string): Promise<FileHandle> {
  let place = await openFolder(root);
  for (const name of path.split('/').filter((part) => part !== '')) {
    const above = place;
    try {
      place = await openFolder(entryPath(above, name));
    } finally {
      await above.close();
    }
  }
  return place;
}
