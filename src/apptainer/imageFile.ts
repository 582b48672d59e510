import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { settingKeys, settingName } from '../contributions';
import { makeOwnedFolder, ownerMark } from '../host/ownedFolder';
import { removeTree } from '../host/removeTree';
import type { Environment } from '../sandbox/hostEnvironment';
import { message } from '../sandbox/message';
import { pullFolderSettings } from '../sandbox/refusePullFolder';
import { UserError } from '../sandbox/userError';
import { sweepLeftovers } from './leftovers';
import { temporaryFolder as temporaryParent } from './pullFolders';

export interface ImageFileRequest {
  /** absolute path of the SIF file to make; replaced when it exists */
  readonly target: string;
  /** the user's environment */
  readonly environment: Environment;
  /** for the log */
  readonly onLine?: ((line: string) => void) | undefined;
}

const imageSetting = settingName(settingKeys.image);
/** An image takes minutes; a part of one this old belongs to somebody who was killed. */
const abandonedMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Makes an image at `TARGET.OWNER.RANDOM.partial` and renames it when it is whole, so that `target` is never a part of an
 * image (with a cache Apptainer does so itself, without one it does not). Whatever happens, no temporary file is left.
 * @param make gets the file to make, and a folder for what comes and goes meanwhile
 * @throws UserError `pull.targetNotWritable`, `pull.noTemporaryFolder`, and what `make` throws
 */
export async function makeImageFile(
  request: ImageFileRequest,
  make: (partial: string, temporaryFolder: string) => Promise<void>,
): Promise<void> {
  const partial = `${request.target}.${await ownerMark()}.${randomBytes(8).toString('hex')}.partial`;
  await makeTargetFolder(request.target);
  await removeAbandoned(request.target);
  await sweepLeftovers(dirname(request.target), request.environment);
  const temporaryFolder = await makeTemporaryFolder(request.environment);
  try {
    await make(partial, temporaryFolder);
    await rename(partial, request.target);
  } finally {
    // what can't be removed must not hide why it failed
    const complain = (error: unknown): void => request.onLine?.(String(error));
    await rm(partial, { force: true }).catch(complain);
    await removeTree(temporaryFolder).catch(complain);
  }
}

async function makeTargetFolder(target: string): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UserError(
      'pull.targetNotWritable',
      message(
        "The folder of the image {0} can't be made. Choose another place in the setting {1}.",
        target,
        imageSetting,
      ),
      { kind: 'openSetting', setting: imageSetting },
      { cause: error },
    );
  }
}

/** Removes what pulls left of which nobody knows whose they are: on another machine, or by an earlier version. */
async function removeAbandoned(target: string): Promise<void> {
  const folder = dirname(target);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(`${basename(target)}.`) || !name.endsWith('.partial')) continue;
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile() === true && Date.now() - stats.mtimeMs > abandonedMilliseconds) {
      await rm(path, { force: true });
    }
  }
}

/** A folder of our own, so that what a killed Apptainer leaves can be removed. In it an image is unpacked. */
async function makeTemporaryFolder(environment: Environment): Promise<string> {
  const parent = temporaryParent(environment);
  try {
    return await makeOwnedFolder(parent, 'pull');
  } catch (error) {
    throw new UserError(
      'pull.noTemporaryFolder',
      message(
        'No temporary folder can be made in {0}. Choose a folder with room for the image in the setting {1}.',
        parent,
        pullFolderSettings.temporary,
      ),
      { kind: 'openSetting', setting: pullFolderSettings.temporary },
      { cause: error },
    );
  }
}
