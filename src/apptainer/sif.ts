import { open } from 'node:fs/promises';

/**
 * The header of a SIF file: 32 bytes of launch script, then this magic
 * (https://github.com/apptainer/sif/blob/main/pkg/sif/sif.go).
 */
const magicOffset = 32;
const magic = Buffer.from('SIF_MAGIC\0', 'latin1');

/**
 * Whether the regular file at `path` starts like a SIF. Says nothing about the rest: a file that was cut off starts
 * like one, too.
 * @throws the errors of open(2)
 */
export async function isSifFile(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(magic.length);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, magicOffset);
    return bytesRead === magic.length && buffer.equals(magic);
  } finally {
    await file.close();
  }
}
