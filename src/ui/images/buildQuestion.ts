import { type DefinitionFacts, isLocalBase } from '../../apptainer/definitionFile';
import { message, type Message } from '../../sandbox/message';

/** A definition file that did not come with this extension, as it is asked about. */
export interface AskedDefinition {
  readonly path: string;
  readonly facts: DefinitionFacts;
  /** an agent can write the folder in which it is */
  readonly isWritable: boolean;
  /** those of its bases on this computer that an agent can write */
  readonly writableBases: readonly string[];
}

const longestList = 12;
const longestEntry = 160;

/** What is asked before a build. @param definition undefined for one of ours */
export function buildQuestion(definition?: AskedDefinition): { text: Message; detail: Message[] } {
  const text =
    definition?.isWritable === true
      ? message(
          'The definition {0} is in a folder in which agents work: an agent may have written it. A build runs its commands outside of every sandbox. Read it first.',
          definition.path,
        )
      : message('A build runs outside of every sandbox. Build only what you trust.');
  const commands = message(
    'Commands of the definition, and the programs of the image and of the packages that it installs, run as you, with your network and without anything that verifies their isolation.',
  );
  return { text, detail: [commands, ...(definition ? detailsOf(definition) : [])] };
}

function detailsOf({ facts, writableBases }: AskedDefinition): Message[] {
  const { bases, copied } = facts;
  const begins = bases.map(({ bootstrap, from }) => `${bootstrap} ${from}`.trim());
  const local = bases.filter(isLocalBase).map(({ from }) => from);
  return [
    ...(begins.length > 0 ? [message('It begins with: {0}', list(begins))] : []),
    ...(local.length > 0 ? [message('Of this computer it runs: {0}', list(local))] : []),
    ...(writableBases.length > 0
      ? [message('An agent can have changed, because it is where agents work: {0}', list(writableBases))]
      : []),
    ...(copied.length > 0 ? [message('It copies from this computer into the image: {0}', list(copied))] : []),
  ];
}

/** One line; what does not fit is counted. */
function list(entries: readonly string[]): string {
  const shown = entries.slice(0, longestList).map((entry) => {
    return entry.length > longestEntry ? `${entry.slice(0, longestEntry)}…` : entry;
  });
  const more = entries.length - shown.length;
  return [...shown, ...(more > 0 ? [`… +${more}`] : [])].join(' · ');
}
