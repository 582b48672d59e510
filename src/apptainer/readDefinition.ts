import { realpath } from 'node:fs/promises';
import { readSmallFile, UnsafeFileError } from '../host/safeFiles';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';

/** Hundreds of times a long one. */
const maximumBytes = 1 << 20;

/**
 * Reads a definition file of Apptainer that somebody has chosen; an agent may have put something else in its place, or
 * made it large.
 * @throws UserError `definition.notAFile`, the errors of open(2)
 */
export async function readDefinition(path: string): Promise<string> {
  try {
    return (await readSmallFile(await realpath(path), maximumBytes)).toString('utf8');
  } catch (error) {
    if (!(error instanceof UnsafeFileError)) throw error;
    const text = message(
      '{0} can’t be read as a definition file: it is no ordinary file, or larger than 1 MB. Choose another one.',
      path,
    );
    throw new UserError('definition.notAFile', text, undefined, { cause: error });
  }
}
