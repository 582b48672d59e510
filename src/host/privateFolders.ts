import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { openPrivateFolder } from './safeFiles';

/**
 * Makes folders that are ours alone, one in the other: 0700 afterwards, where they were there too.
 * @param top the folder of ours in which the first of them is; made when it is missing
 * @returns the resolved path of the last one
 * @throws UnsafeFileError when one of them is a link, something else, or somebody else's; system errors
 */
export async function makePrivateFolders(top: string, ...names: readonly string[]): Promise<string> {
  await mkdir(top, { recursive: true, mode: 0o700 });
  let path = await realpath(top);
  for (const name of names) {
    path = join(path, name);
    await (await openPrivateFolder(path)).close();
  }
  return path;
}
