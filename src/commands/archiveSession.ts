import { selectedSession, withSessionProgress } from '../ui/sessions/selectedSession';
import type { Services } from './services';

/** Puts a session away: opencode does not list it any more, and nothing of it is lost. */
export async function archiveSession(services: Services, row: unknown): Promise<void> {
  await setArchived(services, row, Date.now());
}

/** Brings an archived session back into the list. */
export async function unarchiveSession(services: Services, row: unknown): Promise<void> {
  // opencode takes no null, and counts 0 as not archived
  await setArchived(services, row, 0);
}

async function setArchived(services: Services, row: unknown, time: number): Promise<void> {
  const { folder, session } = await selectedSession(services, row);
  await withSessionProgress(() =>
    services.sessions.edit(folder, [{ archive: { session: session.id, time } }]),
  );
}
