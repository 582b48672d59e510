import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './safeFiles';

/** Says what a finished folder was made from; written last, so a folder without it is not whole. */
const stampName = '.made-from';

/** Whether `folder` was made whole from exactly `recipe`. */
export async function isMadeFrom(folder: string, recipe: string): Promise<boolean> {
  const stamp = await readFile(join(folder, stampName), 'utf8').catch(() => undefined);
  return stamp === recipe;
}

/**
 * Makes `folder` from `recipe` unless it already is: `make` fills a folder beside it, which takes its place when it
 * is whole. Two runs at once each make their own, and the later one wins.
 * @param recipe any text that changes when the result would
 * @param make gets the folder to fill; what it fills must work at `folder` too
 */
export async function makeWholeFolder(
  folder: string,
  recipe: string,
  make: (partial: string) => Promise<void>,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const partial = await mkdtemp(join(dirname(folder), `${basename(folder)}.partial-`));
  const before = `${partial}.before`;
  try {
    await make(partial);
    await writeFile(join(partial, stampName), recipe);
    // removing takes a while, in which there would be none
    await rename(folder, before).catch(ignoreMissing);
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
    await rm(before, { recursive: true, force: true });
  }
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
