import { openRegularFile } from '../host/regularFile';

/**
 * The header of a SIF file: 32 bytes of launch script, then this magic
 * (https://github.com/apptainer/sif/blob/main/pkg/sif/sif.go).
 */
const magicOffset = 32;
const magic = Buffer.from('SIF_MAGIC\0', 'latin1');

/**
 * Whether the regular file at `path` starts like a SIF. Says nothing about the rest: a file that was cut off starts
 * like one, too.
 * @throws UnsafeFileError, the errors of open(2)
 */
export async function isSifFile(path: string): Promise<boolean> {
  const file = await openRegularFile(path);
  try {
    const buffer = Buffer.alloc(magic.length);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, magicOffset);
    return bytesRead === magic.length && buffer.equals(magic);
  } finally {
    await file.close();
  }
}

/** After the magic and the version, which is two digits and a NUL; then comes the architecture. */
const architectureOffset = magicOffset + magic.length + 3;
/** Of `hdrArchType` in the same source, by what Node calls them. */
const architectureCodes: Readonly<Record<string, string>> = { '02': 'x64', '04': 'arm64' };

/**
 * For which processors a SIF says that it is: Apptainer looks at the programs in it when it makes one.
 * @returns as `process.arch` says it; undefined for any other, and for what is no SIF
 * @throws UnsafeFileError, the errors of open(2)
 */
export async function sifArchitecture(path: string): Promise<string | undefined> {
  const file = await openRegularFile(path);
  try {
    const buffer = Buffer.alloc(2);
    await file.read(buffer, 0, buffer.length, architectureOffset);
    return architectureCodes[buffer.toString('latin1')];
  } finally {
    await file.close();
  }
}
