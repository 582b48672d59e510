import { homeUsePath, readHomeUses, type HomeUser } from '../host/homeFolder';
import { releaseHomeLock, takeHomeLock } from '../host/homeLock';
import { isAlive, readIndexEntries, type SandboxIndexEntry } from '../host/sandboxIndex';
import { message } from '../sandbox/message';
import { isSameOrInside } from '../sandbox/paths';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';
import { homeLocked } from '../supervisor/homeUse';

/** A home with what is kept of it in extension storage. */
export type KeptHome = SandboxSpecification & {
  readonly home: { readonly kind: 'folder' };
  readonly homeFolder: string;
};

/** Does work with the lock on a home. @throws UserError `home.inUse`, `home.locked`, and what `work` throws */
export async function withLock<Result>(
  { home, homeFolder }: KeptHome,
  own: HomeUser,
  work: () => Promise<Result>,
): Promise<Result> {
  const holder = await takeHomeLock(homeFolder, own);
  if (holder?.bootId === own.bootId) throw homeInUse(home.folder.path);
  if (holder) throw homeLocked(home.folder.path, holder, homeFolder);
  try {
    return await work();
  } finally {
    await releaseHomeLock(homeFolder, own);
  }
}

/**
 * Those that use a home, for somebody who has its lock. One of another computer would have it: those are gone, although
 * nothing else tells so from here.
 */
export async function usesWithLock(
  homeFolder: string,
  own: HomeUser,
): Promise<{ readonly live: readonly HomeUser[]; readonly badEnds: readonly string[] }> {
  const { live, badEnds } = await readHomeUses(homeFolder);
  const isHere = ({ bootId }: HomeUser): boolean => bootId === own.bootId;
  const gone = live.filter((user) => !isHere(user)).map(({ sandboxId }) => sandboxId);
  return { live: live.filter(isHere), badEnds: [...badEnds, ...gone] };
}

/**
 * Looks who uses a home, for somebody who has its lock.
 * @returns the ids of those that did and have not ended well
 * @throws UserError `home.inUse` when anybody does
 */
export async function requireUnused(specification: KeptHome, own: HomeUser): Promise<readonly string[]> {
  const { home, homeFolder, indexDirectory } = specification;
  const { path } = home.folder;
  const { live, badEnds } = await usesWithLock(homeFolder, own);
  if (live[0]) throw homeUsed(path, live[0], homeFolder);
  const entries = (await readIndexEntries(indexDirectory)).filter((entry) => mayUse(entry, specification));
  const alive = await Promise.all(entries.map(isAlive));
  if (alive.includes(true)) throw homeInUse(path);
  return badEnds;
}

/** Supervisors of older versions note no use in the home's folder, and do not say which home they have. */
function mayUse(entry: SandboxIndexEntry, { home, workspace }: KeptHome): boolean {
  const { path } = home.folder;
  if (entry.home !== undefined) return entry.home === path;
  return entry.workspace === workspace.path || !isSameOrInside(workspace.path, path);
}

function homeInUse(path: string): UserError {
  return new UserError(
    'home.inUse',
    message('A sandbox uses the agent’s home {0}. Stop it first: then its database can be repaired.', path),
  );
}

function homeUsed(path: string, { sandboxId, hostName }: HomeUser, homeFolder: string): UserError {
  return new UserError(
    'home.inUse',
    message(
      'A sandbox on {1} uses the agent’s home {0}. Stop it first: then its database can be repaired. If nothing of it runs there any more, remove the file {2}.',
      path,
      hostName,
      homeUsePath(homeFolder, sandboxId),
    ),
  );
}
