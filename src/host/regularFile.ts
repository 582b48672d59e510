import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { UnsafeFileError } from './safeFiles';

/**
 * Opens a file that somebody has named, to read it; links are followed. A FIFO, which an agent can put in its place,
 * would keep one of Node's few threads for ever.
 * @throws UnsafeFileError `notAFile`, the errors of open(2)
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new UnsafeFileError('notAFile', path);
}
