import { message, type formatMessage, type Message } from '../../sandbox/message';
import { nameOf, parentOf, toText } from '../../snapshot/bytePath';
import type { Change, ChangeKind } from '../../snapshot/diff';
import type { Entry, FileEntry } from '../../snapshot/manifest';
import { plainText } from '../plainText';
import type { TreeRow } from '../treeRowData';

/** A row of the view *Changes*. The agent chose the names, so they are made plain. */
export function changeRow(change: Change, render: typeof formatMessage): TreeRow {
  const { path, kind } = change;
  const label = plainText(toText(nameOf(path)));
  const folder = plainText(toText(parentOf(path)));
  const facts = factsOf(change).map((fact) => render(fact));
  return {
    label,
    description: [...facts, folder].filter((part) => part !== '').join(' · '),
    icon: icons[kind],
    tooltip: [plainText(toText(path)), ...facts].join('\n'),
    accessibleLabel: [label, ...facts, folder].filter((part) => part !== '').join(', '),
    contextValue: 'change',
  };
}

/** What is said of a change besides its place: the kind of it, permissions, and why its content is not shown. */
function factsOf({ kind, before, after, from }: Change): Message[] {
  const modes = [permissions(before), permissions(after)];
  const changesMode = before !== undefined && after !== undefined && modes[0] !== modes[1];
  const isFolder = (after ?? before)?.kind === 'folder' || (after ?? before)?.kind === 'closed';
  return [
    from === undefined ? kindWords[kind] : message('was {0}', plainText(toText(from))),
    // known by its inode, size and a time that the agent can set
    ...(kind === 'renamed' && after?.kind === 'file' && after.sha256 === undefined
      ? [message('content not compared')]
      : []),
    ...(isFolder ? [message('folder')] : []),
    ...(changesMode && modes[0] && modes[1] ? [message('{0} → {1}', modes[0], modes[1])] : []),
    ...(isExecutable(after) && !isExecutable(before) ? [message('executable')] : []),
    ...([before, after].some((entry) => entry?.kind === 'link') ? [message('symbolic link')] : []),
    ...(after?.kind === 'other' ? [message('special file')] : []),
    ...(isShownAsText(before) && isShownAsText(after) ? [] : [contentWord(after) ?? contentWord(before)]),
  ].filter((fact) => fact !== undefined);
}

/** Whether an editor can show the content of this side, as far as there is one. */
export function isShownAsText(entry: Entry | undefined): boolean {
  return entry?.kind !== 'file' || (entry.sha256 !== undefined && entry.isBinary !== true);
}

function contentWord(entry: Entry | undefined): Message | undefined {
  if (entry?.kind !== 'file') return undefined;
  if (entry.isBinary) return message('binary');
  return entry.notKept === undefined ? undefined : notKeptWords[entry.notKept];
}

/**
 * Why the content of one side of a change is not shown, in a word or two, for the title of what is shown instead.
 * @param entry of the side @param change that it is a side of
 */
export function standInWord(entry: Entry, { kind, before, after }: Change): Message {
  switch (entry.kind) {
    case 'file':
      return (
        contentWord(entry) ??
        contentWord(after) ??
        contentWord(before) ??
        (kind === 'mode' ? kindWords.mode : message('content not shown'))
      );
    case 'link':
      return message('symbolic link');
    case 'folder':
    case 'closed':
      return message('folder');
    case 'other':
      return message('special file');
  }
}

/**
 * One side of a change whose content is not shown: what it is, in a line.
 * @returns nothing for a side that is not there
 */
export function sideText(entry: Entry | undefined, render: typeof formatMessage): string {
  if (entry === undefined) return '';
  const mode = permissions(entry);
  const parts = [
    ...describe(entry).map((part) => render(part)),
    ...(mode === undefined ? [] : [render(message('permissions {0}', mode))]),
  ];
  return `${parts.join('\n')}\n`;
}

function describe(entry: Entry): Message[] {
  switch (entry.kind) {
    case 'file':
      return [
        message('File of {0} bytes', entry.size),
        ...(entry.sha256 === undefined ? [] : [message('SHA-256 {0}', entry.sha256)]),
        ...(entry.notKept === undefined ? [] : [message('Its content is not kept: {0}', notKeptText(entry))]),
      ];
    case 'link':
      return [message('Symbolic link to {0}', plainText(toText(entry.target)))];
    case 'folder':
    case 'closed':
      return [message('Folder')];
    case 'other':
      return [message('Special file (a FIFO, a socket or a device)')];
  }
}

function notKeptText({ notKept }: FileEntry): string {
  return notKept === undefined ? '' : notKeptWords[notKept].text;
}

const notKeptWords: Readonly<Record<NonNullable<FileEntry['notKept']>, Message>> = {
  large: message('large'),
  full: message('over the limit'),
  changing: message('changing all the time'),
  unreadable: message('not readable'),
};

const kindWords: Readonly<Record<ChangeKind, Message>> = {
  new: message('new'),
  changed: message('changed'),
  gone: message('gone'),
  renamed: message('renamed'),
  mode: message('permissions'),
};

const icons: Readonly<Record<ChangeKind, string>> = {
  new: 'diff-added',
  changed: 'diff-modified',
  gone: 'diff-removed',
  renamed: 'diff-renamed',
  mode: 'lock',
};

/** As chmod(1) has them. */
function permissions(entry: Entry | undefined): string | undefined {
  return entry !== undefined && 'mode' in entry ? entry.mode.toString(8).padStart(3, '0') : undefined;
}

function isExecutable(entry: Entry | undefined): boolean {
  return entry?.kind === 'file' && (entry.mode & 0o111) !== 0;
}
