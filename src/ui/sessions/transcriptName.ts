import type { Session } from '../../opencode/sessions/sessionStore';

/**
 * The name of the tab in which a session is shown: when it was begun, in the time zone of the user, and the end of its
 * id, because sub-agents are begun in the same minute. Its title is the agent's, and not for a tab.
 * @param word what such a page is called
 */
export function transcriptName(word: string, { id, created }: Pick<Session, 'id' | 'created'>): string {
  const date = new Date(created);
  const pad = (number: number): string => String(number).padStart(2, '0');
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(pad).join('-');
  const time = [date.getHours(), date.getMinutes()].map(pad).join('.');
  return [word, ...(created > 0 ? [day, time] : []), id.slice(-6)].join(' ');
}
