import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { IdentifiedPath } from '../sandbox/specification';
import { backupsName } from './homeFolder';
import { makePrivateFolders } from './privateFolders';

// Which folder in extension storage a home has, see `homeFolder.ts`. A supervisor is told, and need not load node:crypto.

const homesName = 'homes';

/** The folder in extension storage for a home. Made when missing, 0700. @returns its resolved path */
export async function makeHomeFolder(storageDirectory: string, home: IdentifiedPath): Promise<string> {
  return dirname(await makePrivateFolders(storageDirectory, homesName, homeKey(home), backupsName));
}

/**
 * Names a home on all computers that see it. Device numbers differ between them, and so may where it is mounted; the
 * inode and the end of the path do not.
 */
export function homeKey({ path, identity }: IdentifiedPath): string {
  const end = path.split('/').slice(-2).join('/');
  return createHash('sha256').update(`${identity.inode}\0${end}`).digest('hex').slice(0, 16);
}
