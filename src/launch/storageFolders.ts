import { join } from 'node:path';
import { makeHomeFolder } from '../host/homeFolderPlace';
import { makePrivateFolders } from '../host/privateFolders';
import { message } from '../sandbox/message';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';

/** Where the live sandboxes are entered, in extension storage. */
const indexName = 'sandboxes';

/** Where the records of runs are kept, in extension storage. */
const recordsName = 'runs';

/** The folder with the records of runs, which need not be there. */
export function recordsFolder(storageDirectory: string): string {
  return join(storageDirectory, recordsName);
}

/** Makes the folder in which live sandboxes are entered, 0700. @returns its resolved path @throws UserError */
export function makeIndexDirectory(storageDirectory: string): Promise<string> {
  return makeFolder(storageDirectory, indexName);
}

/** Makes the folders of a sandbox in extension storage, 0700, and resolves their paths. @throws UserError */
export async function makeStorageFolders(
  storageDirectory: string,
  home: SandboxSpecification['home'],
): Promise<Pick<SandboxSpecification, 'indexDirectory' | 'recordDirectory' | 'homeFolder'>> {
  const folders = {
    indexDirectory: await makeIndexDirectory(storageDirectory),
    recordDirectory: await makeFolder(storageDirectory, recordsName),
  };
  if (home.kind === 'memory') return folders;
  const homeFolder = await usable(storageDirectory, () => makeHomeFolder(storageDirectory, home.folder));
  return { ...folders, homeFolder };
}

/** Makes a private folder, 0700. @returns its resolved path @throws UserError */
export function makeFolder(storageDirectory: string, name: string): Promise<string> {
  return usable(storageDirectory, () => makePrivateFolders(storageDirectory, name));
}

async function usable(storageDirectory: string, make: () => Promise<string>): Promise<string> {
  try {
    return await make();
  } catch (error) {
    throw new UserError(
      'storage.notUsable',
      message(
        "This extension can't keep its files in {0}. Check that the disk is not full, and who owns the folder.",
        storageDirectory,
      ),
      { kind: 'showLog' },
      { cause: error },
    );
  }
}
