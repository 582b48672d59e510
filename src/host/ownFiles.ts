import { rename, rm } from 'node:fs/promises';
import type * as v from 'valibot';
import { tryParse } from '../sandbox/parseAs';
import { randomHex } from './random';
import { codeOf, createFile, readSmallFile, UnsafeFileError } from './safeFiles';

// Files in folders that are ours alone. For folders that somebody else can write there is `replaceFile.ts`.

/**
 * Writes a file of ours, mode 0600: whoever reads it sees what was there before, or all of the new content. A writer
 * that is killed leaves `<path>.<16 hex digits>`.
 */
export async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  const temporary = `${path}.${randomHex(8)}`;
  try {
    await createFile(temporary, content);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Reads a small file of ours.
 * @param maximumBytes a larger one is something else
 * @returns undefined for what is missing or something else
 */
export async function readJson<Value>(
  path: string,
  schema: v.GenericSchema<unknown, Value>,
  maximumBytes: number,
): Promise<Value | undefined> {
  try {
    const content = await readSmallFile(path, maximumBytes, { ours: true });
    return tryParse(schema, JSON.parse(content.toString('utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnsafeFileError || codeOf(error) === 'ENOENT')
      return undefined;
    throw error;
  }
}
