import { basename, dirname } from 'node:path';
import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { SumsLine } from '../../opencode/sessions/lines';
import type { ChangedFile, Session } from '../../opencode/sessions/sessionStore';
import { plainText } from '../plainText';
import type { NodeData } from './sessionTree';
import type { TreeRow } from '../treeRowData';

export interface RowOptions {
  /** milliseconds since the epoch */
  readonly now: number;
  readonly today: number;
  readonly render: typeof formatMessage;
  /** a day of the calendar, from its midnight */
  readonly dayName: (start: number) => string;
  /** a time with its date */
  readonly timeName: (time: number) => string;
}

/** The row of a node. Everything that comes from inside is made plain, and shown in labels and tooltips alone. */
export function sessionRow(data: NodeData, options: RowOptions): TreeRow {
  switch (data.kind) {
    case 'session':
      return sessionRowOf(data.session, data.isRunning, options);
    case 'file':
      return fileRow(data.file, options);
    case 'deletedSession': {
      const { title, deletedAt } = data.deleted;
      const when = options.render(message('deleted {0}', options.timeName(deletedAt)));
      return row(titleOf(title, options), when, 'trash', 'deletedSession');
    }
    case 'day':
      return row(dayLabel(data.start, options), String(data.count), 'calendar', 'day');
    case 'archived':
      return row(options.render(message('Archived')), String(data.count), 'archive', 'group');
    case 'deleted':
      return row(options.render(message('Deleted')), String(data.count), 'trash', 'group');
    case 'folder':
      return row(plainText(data.label), options.render(folderWords[data.state]), 'folder', 'folder');
  }
}

function row(label: string, description: string, icon: string, contextValue: string): TreeRow {
  const accessibleLabel = [label, description].filter(Boolean).join(', ');
  return { label, description, icon, tooltip: accessibleLabel, accessibleLabel, contextValue };
}

const folderWords = {
  ready: message(''),
  reading: message('reading…'),
  empty: message('no sessions'),
  failed: message('sessions can’t be read'),
} as const;

function sessionRowOf(session: Session, isRunning: boolean, options: RowOptions): TreeRow {
  const { render, now } = options;
  const state = stateOf(session, isRunning);
  const label = titleOf(session.title, options);
  const facts = [
    ...(state === undefined ? [] : [render(stateWords[state])]),
    render(ago(now - session.updated)),
    ...sumFacts(session, render),
  ];
  return {
    label,
    description: facts.join(' · '),
    icon: state === undefined ? 'comment-discussion' : stateIcons[state],
    tooltip: [label, ...details(session, options), ...facts.slice(0, state === undefined ? 0 : 1)].join('\n'),
    accessibleLabel: [label, ...facts].join(', '),
    contextValue: ['session', session.archived === null ? 'present' : 'archived'].join(' '),
  };
}

type SessionState = 'running' | 'interrupted';

function stateOf({ sums }: Session, isRunning: boolean): SessionState | undefined {
  if (isRunning) return 'running';
  return sums?.isOpen === true ? 'interrupted' : undefined;
}

const stateWords: Readonly<Record<SessionState, Message>> = {
  running: message('running'),
  interrupted: message('interrupted'),
};
const stateIcons: Readonly<Record<SessionState, string>> = {
  running: 'sync',
  interrupted: 'debug-pause',
};

/** Short, because a side bar is narrow; the tooltip has the rest. */
function sumFacts({ sums, cost }: Session, render: typeof formatMessage): string[] {
  return [
    ...(sums === undefined ? [] : [render(messageCount(sums.messages))]),
    ...(cost > 0 ? [dollars(cost)] : []),
    ...(sums === undefined || sums.fileCount === 0 ? [] : [render(fileCount(sums.fileCount))]),
  ];
}

function messageCount(count: number): Message {
  return count === 1 ? message('1 message') : message('{0} messages', count);
}

function fileCount(count: number): Message {
  return count === 1 ? message('1 file') : message('{0} files', count);
}

function details(session: Session, { render, timeName }: RowOptions): string[] {
  const { model, agent, tokens, cost, sums, directory, created, updated, version } = session;
  return [
    ...(model === '' ? [] : [render(message('Model: {0}', model))]),
    ...(agent === '' ? [] : [render(message('Agent: {0}', agent))]),
    ...(sums === undefined ? [] : [render(message('Messages: {0}', sums.messages))]),
    // opencode's terminal shows the first, `opencode stats` the second
    ...(sums === undefined || sums.context === 0
      ? []
      : [render(message('Context: {0} tokens', sums.context.toLocaleString('en')))]),
    render(message('Tokens in all: {0}', tokens.toLocaleString('en'))),
    render(message('Cost: {0}', dollars(cost))),
    ...(sums === undefined || sums.fileCount === 0 ? [] : [render(changesText(sums))]),
    render(message('Folder: {0}', directory)),
    render(message('Created: {0}', timeName(created))),
    render(message('Last used: {0}', timeName(updated))),
    ...(version === '' ? [] : [render(message('opencode {0}', version))]),
  ];
}

function changesText({ fileCount: files, additions, deletions }: SumsLine): Message {
  return additions === null || deletions === null
    ? message('Changed files: {0}', files)
    : message('Changed files: {0} (+{1} −{2} lines)', files, additions, deletions);
}

/** Without lines where opencode did not note them; its folder last, which may be long. */
function fileRow({ file, additions, deletions }: ChangedFile, { render }: RowOptions): TreeRow {
  const isCounted = additions !== null && deletions !== null;
  const changes = isCounted ? `+${additions} −${deletions}` : '';
  const folder = dirname(file);
  return {
    label: plainText(basename(file)),
    description: [changes, folder === '.' ? '' : plainText(folder)].filter(Boolean).join(' · '),
    icon: 'file',
    tooltip: [plainText(file), changes].filter(Boolean).join('\n'),
    accessibleLabel: isCounted
      ? render(message('{0}, {1} lines added, {2} removed', file, additions, deletions))
      : plainText(file),
    contextValue: 'file',
  };
}

function titleOf(title: string, { render }: RowOptions): string {
  return title === '' ? render(message('(no title)')) : plainText(title);
}

/** @returns for example `$0.25`; what is less than a cent is shown as such */
function dollars(cost: number): string {
  if (cost === 0) return '$0';
  return cost < 0.01 ? '<$0.01' : `$${cost.toFixed(2)}`;
}

function dayLabel(start: number, { today, render, dayName }: RowOptions): string {
  if (start === today) return render(message('Today'));
  // a day may have 23 or 25 hours
  return Math.round((today - start) / dayMilliseconds) === 1 ? render(message('Yesterday')) : dayName(start);
}

const minuteMilliseconds = 60_000;
const dayMilliseconds = 24 * 60 * minuteMilliseconds;

/** @param milliseconds negative when a clock was set */
function ago(milliseconds: number): Message {
  const minutes = Math.max(0, Math.floor(milliseconds / minuteMilliseconds));
  if (minutes < 1) return message('now');
  if (minutes < 60) return message('{0} min ago', minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? message('{0} h ago', hours) : message('{0} days ago', Math.floor(hours / 24));
}
