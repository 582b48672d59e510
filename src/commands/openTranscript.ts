import { selectedSession } from '../ui/sessions/selectedSession';
import type { Services } from './services';

/** Opens what was said and done in a session. */
export async function openTranscript(services: Services, row: unknown): Promise<void> {
  const { folder, session } = await selectedSession(services, row);
  await services.transcripts.show(folder, session.id);
}

/** Adds earlier messages to the transcript that was opened last. */
export async function showEarlierMessages({ transcripts }: Services): Promise<void> {
  await transcripts.showEarlier();
}
