import { fileSystemKindOf } from '../host/fileSystemKind';
import { ownHomeUse } from '../host/homeFolder';
import { readHomeLock, releaseHomeLock, takeHomeLock } from '../host/homeLock';
import type { SandboxSpecification } from '../sandbox/specification';
import { homeBusy, homeLocked } from '../supervisor/homeUse';

/**
 * Does work that changes sessions in a home: alone, where computers share its file system, and nowhere while it is
 * being repaired.
 * @throws UserError `home.locked`, `home.busy`, and what `work` throws
 */
export async function withHomeToWrite<Result>(
  { id, home, homeFolder }: SandboxSpecification,
  work: () => Promise<Result>,
): Promise<Result> {
  if (home.kind === 'memory' || homeFolder === undefined) return work();
  const { path } = home.folder;
  if ((await fileSystemKindOf(path)) !== 'network') {
    if (await readHomeLock(homeFolder)) throw homeBusy(path);
    return work();
  }
  const own = await ownHomeUse(id);
  const holder = await takeHomeLock(homeFolder, own);
  if (holder) throw homeLocked(path, holder, homeFolder);
  try {
    return await work();
  } finally {
    await releaseHomeLock(homeFolder, own);
  }
}
