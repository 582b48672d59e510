import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { isSameOrInside } from '../sandbox/paths';
import { Cancelled } from '../sandbox/userError';
import { selectedSession, withSessionProgress } from '../ui/sessions/selectedSession';
import type { Services } from './services';

/** Goes on with a session in the agent's terminal. */
export async function resumeSession(services: Services, row: unknown): Promise<void> {
  await resume(services, row, false);
}

/** Goes on with a copy of a session; the session itself stays as it is. */
export async function forkSession(services: Services, row: unknown): Promise<void> {
  await resume(services, row, true);
}

async function resume(services: Services, row: unknown, isFork: boolean): Promise<void> {
  const { folder, session } = await selectedSession(services, row);
  const { launcher, sessions } = services;
  launcher.requireNoAgent(folder.path);
  if (!isSameOrInside(folder.path, session.directory)) {
    // opencode itself fails when the folder is not there any more, without saying why
    const question = message(
      'This session was begun in a folder of another name or place. Move it to {0}, to go on there?',
      folder.path,
    );
    if (!(await services.say.confirm(question, vscode.l10n.t('Move Session')))) {
      throw new Cancelled('the session was not moved');
    }
    await withSessionProgress(() => sessions.moveHere(folder, session.id));
  }
  await launcher.resume(folder.folder, { sessionId: session.id, isFork });
}
