import { noteGoodEnds, ownHomeUse, backupsOf } from '../host/homeFolder';
import type { HomeBackup } from '../host/homeBackups';
import { message, type Message } from '../sandbox/message';
import type { SandboxSpecification } from '../sandbox/specification';
import type { HomeKeeper, Repaired } from './homeKeeper';
import { requireUnused, withLock } from './homeUsers';
import { isKept, nameAside, withKeeper, type HomeOpeningOptions } from './keeperSandbox';

/** What was done about a damaged database. */
export type HomeRemedy =
  | { readonly kind: 'repair' }
  | { readonly kind: 'restore'; readonly backup: HomeBackup }
  | { readonly kind: 'startFresh' };

/**
 * Does something about a damaged database. It is moved aside, within the home, and never removed.
 * @returns what was kept, to be told
 * @throws UserError `home.inUse` while anything uses the home, `home.locked`, `home.notKept`, and what the keeper's
 * sandbox throws; Cancelled
 */
export async function remedyHome(
  specification: SandboxSpecification,
  remedy: HomeRemedy,
  options: HomeOpeningOptions,
): Promise<Message> {
  if (!isKept(specification)) throw new Error('a home in memory can’t be damaged');
  const own = await ownHomeUse(specification.id);
  const { homeFolder } = specification;
  return withLock(specification, own, async () => {
    const badEnds = await requireUnused(specification, own);
    const aside = nameAside();
    const backups = remedy.kind === 'restore' ? { path: backupsOf(homeFolder), mayWrite: false } : undefined;
    const text = await withKeeper(specification, options, backups, (keeper) =>
      carryOut(keeper, remedy, aside),
    );
    await noteGoodEnds(homeFolder, badEnds);
    return text;
  });
}

async function carryOut(keeper: HomeKeeper, remedy: HomeRemedy, aside: string): Promise<Message> {
  switch (remedy.kind) {
    case 'repair':
      return repairedText(await keeper.repair(aside), aside);
    case 'restore':
      await keeper.restore(remedy.backup.name, aside);
      return message(
        'The backup of {0} is in place. The damaged database is in .local/share/opencode/damaged/{1} in the agent’s home.',
        new Date(remedy.backup.time).toLocaleString(),
        aside,
      );
    case 'startFresh':
      await keeper.startFresh(aside);
      return message(
        'The agent starts without sessions. The damaged database is in .local/share/opencode/damaged/{0} in its home.',
        aside,
      );
  }
}

function repairedText({ sessions, messages, gaps, withoutLog }: Repaired, aside: string): Message {
  return gaps === 0 && !withoutLog
    ? message(
        'The database was rebuilt (sessions: {0}, messages: {1}). Every row could be read. The damaged one is in .local/share/opencode/damaged/{2} in the agent’s home.',
        sessions,
        messages,
        aside,
      )
    : message(
        'The database was rebuilt (sessions: {0}, messages: {1}). Not everything could be read (gaps: {2}), so messages are missing. The damaged one is in .local/share/opencode/damaged/{3} in the agent’s home.',
        sessions,
        messages,
        withoutLog ? gaps + 1 : gaps,
        aside,
      );
}
