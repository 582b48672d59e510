import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Random bytes from the kernel (random(4)), as good as those of node:crypto. To load that module takes a process that is
 * just being started 3 ms of processor time (measured).
 * @throws Error when the kernel gives none
 */
export function randomBytes(length: number): Buffer {
  const buffer = Buffer.alloc(length);
  const source = openSync('/dev/urandom', 'r');
  try {
    for (let filled = 0; filled < length;) {
      const read = readSync(source, buffer, filled, length - filled, null);
      if (read === 0) throw new Error('/dev/urandom gave nothing');
      filled += read;
    }
  } finally {
    closeSync(source);
  }
  return buffer;
}

/** Two random hexadecimal digits for each byte. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
