import { fileSystemKindOf } from '../host/fileSystemKind';
import { noteGoodEnd, noteHomeUse, ownHomeUse } from '../host/homeFolder';
import { readHomeLock, releaseHomeLock, takeHomeLock } from '../host/homeLock';
import type { SandboxSpecification } from '../sandbox/specification';
import { homeBusy, homeLocked } from '../supervisor/homeUse';

/**
 * Does work that changes sessions in a home: alone, where computers share its file system, and nowhere while it is
 * being repaired. It is noted as a use of the home meanwhile, so that nobody begins to repair it.
 * @throws UserError `home.locked`, `home.busy`, and what `work` throws
 */
export async function withHomeToWrite<Result>(
  { id, home, homeFolder }: SandboxSpecification,
  work: () => Promise<Result>,
): Promise<Result> {
  if (home.kind === 'memory' || homeFolder === undefined) return work();
  const { path } = home.folder;
  const isShared = (await fileSystemKindOf(path)) === 'network';
  const own = await ownHomeUse(id);
  const holder = isShared ? await takeHomeLock(homeFolder, own) : undefined;
  if (holder) throw homeLocked(path, holder, homeFolder);
  try {
    await noteHomeUse(homeFolder, own);
    // after that, as whoever repairs a home takes the lock and looks at its uses then
    if (!isShared && (await readHomeLock(homeFolder))) throw homeBusy(path);
    return await work();
  } finally {
    await noteGoodEnd(homeFolder, id);
    if (isShared) await releaseHomeLock(homeFolder, own);
  }
}
