import { message, type Message } from '../sandbox/message';

/**
 * Whom opencode asks by itself (1.18: complete list, measured with a recording name server). `environment.ts` silences
 * all but the first; what silences them is no boundary, and another version may ask all the same.
 */
const purposes: ReadonlyMap<string, Message> = new Map([
  [
    'github.com',
    message(
      'opencode itself asks this host for grammars with which it colours code, and for ripgrep if the image has none. It works without.',
    ),
  ],
  ['registry.npmjs.org', message('opencode itself asks this host for plugins at its start.')],
  ['models.opencode.ai', message('opencode itself asks this host for its catalogue of models at its start.')],
  ['api.github.com', message('opencode itself asks this host for a newer version at its start.')],
]);

/**
 * What opencode wants of a host without having been told to; undefined when it does not ask that one. Who has asked is
 * not known: anything else in the sandbox may have.
 * @param host as normalised; may be hostile
 */
export function ownPurpose(host: string): Message | undefined {
  return purposes.get(host);
}
