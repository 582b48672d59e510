import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandIds } from '../contributions';
import { withClaim } from '../host/claim';
import { removeTree } from '../host/removeTree';
import { makePrivateFolders } from '../host/privateFolders';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { unpackApptainer, unpackedProgram } from './apptainerUnpacked';
import { runToolUntil } from './runTool';

/** In extension storage: the Apptainer of a user without root, and what is left of getting it. */
const placeName = 'apptainer';
/** The unpacked packages, in there. */
const unpackedName = 'unpacked';
/** Package lists and downloads, in there, which go when it is got. */
const archiveName = 'debian';

/** The Apptainer that {@link getOwnApptainer} makes. */
export function ownApptainer(storageDirectory: string): string {
  return unpackedProgram(join(storageDirectory, placeName, unpackedName));
}

/**
 * Gets the newest Apptainer of Debian into extension storage, in place of one that is there.
 * @returns the path of the program
 * @throws UserError (another window does the same, there is no apt, a signature is wrong …), Cancelled: nothing new
 *   is left, and what was there is as it was
 */
export async function getOwnApptainer(storageDirectory: string, signal: AbortSignal): Promise<string> {
  const place = await makePrivateFolders(storageDirectory, placeName);
  const claim = join(place, 'claim');
  return withClaim(claim, { milliseconds: 0, tooLate: alreadyGetting }, async () => {
    await removeUnfinished(place);
    try {
      const folder = join(place, unpackedName);
      await unpackApptainer(folder, join(place, archiveName), runToolUntil(signal));
      return unpackedProgram(folder);
    } finally {
      await removeTree(join(place, archiveName));
    }
  });
}

/** What a window left that was killed meanwhile. */
async function removeUnfinished(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    if (name.startsWith(`${unpackedName}.`)) await removeTree(join(place, name));
  }
}

function alreadyGetting(): UserError {
  return new UserError(
    'setup.alreadyGetting',
    message('Another window is getting Apptainer already. Wait until it is there, then check the setup.'),
    { kind: 'runCommand', command: commandIds.checkSetup },
  );
}
