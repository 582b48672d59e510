import { readHomeUses } from '../host/homeFolder';
import { isAlive, readIndexEntries, type SandboxIndexEntry } from '../host/sandboxIndex';
import { message } from '../sandbox/message';
import { isSameOrInside } from '../sandbox/paths';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';

/** A home with what is kept of it in extension storage. */
export type KeptHome = SandboxSpecification & {
  readonly home: { readonly kind: 'folder' };
  readonly homeFolder: string;
};

/**
 * Looks who uses a home, for somebody who has its lock.
 * @returns the ids of those that did and have not ended well
 * @throws UserError `home.inUse` when anybody does
 */
export async function requireUnused(specification: KeptHome): Promise<readonly string[]> {
  const { home, homeFolder, indexDirectory } = specification;
  const { live, badEnds } = await readHomeUses(homeFolder);
  if (live.length > 0) throw homeInUse(home.folder.path);
  const entries = (await readIndexEntries(indexDirectory)).filter((entry) => mayUse(entry, specification));
  const alive = await Promise.all(entries.map(isAlive));
  if (alive.includes(true)) throw homeInUse(home.folder.path);
  return badEnds;
}

/** Supervisors of older versions note no use in the home's folder, and do not say which home they have. */
function mayUse(entry: SandboxIndexEntry, { home, workspace }: KeptHome): boolean {
  const { path } = home.folder;
  if (entry.home !== undefined) return entry.home === path;
  return entry.workspace === workspace.path || !isSameOrInside(workspace.path, path);
}

/** Says that a home can't be changed now. */
export function homeInUse(path: string): UserError {
  return new UserError(
    'home.inUse',
    message('A sandbox uses the agent’s home {0}. Stop it first: then its database can be repaired.', path),
  );
}
