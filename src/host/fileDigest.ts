import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { openRegularFile } from './regularFile';

/** sha256 of a file, in hexadecimal. @throws UnsafeFileError, the errors of open(2) and read(2), AbortError */
export async function digestOf(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const file = await openRegularFile(path);
  // it is closed with its stream
  await pipeline(file.createReadStream(), hash, signal ? { signal } : {});
  return hash.digest('hex');
}
