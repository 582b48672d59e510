import type { FileChange } from '../sandbox/folderChanges';
import { message, type formatMessage, type Message } from '../sandbox/message';
import { plainText } from './plainText';

/** What a task changed in a folder. */
export interface FolderChanges {
  readonly workspace: string;
  readonly changes: readonly FileChange[];
  /** the folder has more files than were looked at */
  readonly truncated: boolean;
}

/** The changes as a text for an editor, one file a line. The agent chose the names, so they are made plain. */
export function changesText(
  { workspace, changes, truncated }: FolderChanges,
  render: typeof formatMessage,
): string {
  const shown = changes.slice(0, shownChanges);
  const words = new Map(shown.map(({ change }) => [change, render(changeWords[change])]));
  const width = Math.max(0, ...[...words.values()].map((word) => word.length));
  const lines = [
    render(message('Changed files in {0}', workspace)),
    '',
    ...shown.map(({ path, change }) => `${(words.get(change) ?? '').padEnd(width)}  ${plainText(path)}`),
  ];
  if (changes.length === 0) {
    lines.push(render(message('No file was changed.')));
  }
  if (changes.length > shown.length) {
    lines.push(render(message('… and {0} more', changes.length - shown.length)));
  }
  if (truncated) {
    lines.push('', render(message('The folder has too many files to look at all of them.')));
  }
  return `${lines.join('\n')}\n`;
}

const changeWords: Readonly<Record<FileChange['change'], Message>> = {
  new: message('new'),
  changed: message('changed'),
  gone: message('gone'),
};

/** more than anybody reads, and a document that opens at once */
const shownChanges = 5000;
