import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { readSmallFile } from './safeFiles';

/** For the log: where it was, and why. */
const longestNote = 16_384;

/** The beginning of a name by which files sort like times: 13 digits last until the year 2286. @param time milliseconds since the epoch */
export function timePrefix(time: number): string {
  return String(Math.floor(time)).padStart(13, '0');
}

/** Begins with the time, as the records of runs do, so that old ones are found by their names. */
export const crashNoteName = /^\d{13}-([0-9a-f]{16})\.crash$/;

/**
 * Notes why the process of a sandbox can't go on: nobody hears it any more, because whoever started it has let go of its
 * output. At once, because the process ends now; what fails is not told.
 * @param directory of the records of runs; undefined when there is none
 */
export function writeCrashNote(directory: string | undefined, id: string, error: unknown): void {
  if (directory === undefined) return;
  const path = join(directory, `${timePrefix(Date.now())}-${id}.crash`);
  try {
    writeFileSync(path, inspect(error).slice(0, longestNote), { flag: 'wx', mode: 0o600 });
  } catch {
    // the disk is full, or the folder is gone
  }
}

/** What {@link writeCrashNote} has noted of a sandbox, if anything. */
export async function readCrashNote(directory: string, id: string): Promise<string | undefined> {
  try {
    const name = (await readdir(directory)).find((candidate) => crashNoteName.exec(candidate)?.[1] === id);
    if (name === undefined) return undefined;
    const note = await readSmallFile(join(directory, name), longestNote * 4, { ours: true });
    return note.toString('utf8');
  } catch {
    return undefined;
  }
}
