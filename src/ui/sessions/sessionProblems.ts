import { message, type Message } from '../../sandbox/message';
import type { SessionProblem } from '../../opencode/sessions/sessionStore';

/** What to say instead of sessions. `none` is no problem: there are none yet. */
export const problemTexts: Readonly<Record<SessionProblem, Message>> = {
  none: message('The agent has no sessions in this folder yet.'),
  olderLayout: message(
    'These sessions were made by opencode 1.1 or older, which kept them in other files. Start opencode 1.2 once with this agent-home: it takes them over. Later versions do not.',
  ),
  newerLayout: message(
    'These sessions were made by opencode 2, which keeps them in other tables; they are not listed here. Start the agent with an image that has opencode 2: its own list has them.',
  ),
  notAFile: message(
    'In the place of opencode’s database is a link or something else that is no ordinary file. Look at .local/share/opencode in agent-home.',
  ),
  unreadable: message(
    'opencode’s database can’t be opened. Check the permissions in .local/share/opencode in agent-home.',
  ),
  malformed: message(
    'opencode’s database is damaged. Start the agent: it offers to repair the database, to restore a backup, or to start fresh.',
  ),
  busy: message('opencode’s database is locked by another process. Stop the agent, or try again later.'),
  unknownSchema: message(
    'opencode’s database has tables that this version does not know. A newer version of this extension may.',
  ),
  tooSlow: message('Reading the sessions took too long and was given up. Refresh to try again.'),
  tooMuch: message('There is too much in opencode’s database to be read. Refresh to try again.'),
  noOpencode: message(
    'The image has no opencode, and without it sessions can’t be read. Select another image.',
  ),
  lost: message(
    'The sandbox that reads sessions has ended unexpectedly. Refresh to try again; the log says more.',
  ),
};
