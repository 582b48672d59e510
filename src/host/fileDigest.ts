import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** sha256 of a file, in hexadecimal. @throws the errors of open(2) and read(2), AbortError */
export async function digestOf(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, signal ? { signal } : {});
  return hash.digest('hex');
}
