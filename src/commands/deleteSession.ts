import { keptDays } from '../launch/deletedSessions';
import { message } from '../sandbox/message';
import { selectedNode, selectedSession, withSessionProgress } from '../ui/sessions/selectedSession';
import type { Services } from './services';

/** Deletes a session with its sub-agents. It can be restored for a while. */
export async function deleteSession(services: Services, row: unknown): Promise<void> {
  const { folder, session } = await selectedSession(services, row);
  await withSessionProgress(() => services.sessions.delete(folder, session.id));
  void services.say.information(
    message(
      'The session was deleted. It can be restored for {0} days, from Deleted in the view Sessions.',
      keptDays,
    ),
  );
}

/** Brings a deleted session back. */
export async function restoreSession(services: Services, row: unknown): Promise<void> {
  const { in: folder, deleted } = await selectedNode(services, row, 'deletedSession');
  await withSessionProgress(() => services.sessions.restore(folder, deleted.id));
}
