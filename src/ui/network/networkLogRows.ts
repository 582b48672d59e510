import { basename } from 'node:path';
import type { NetworkEntry } from '../../gateway/gateway';
import { ownPurpose } from '../../opencode/ownHosts';
import { kindTitle } from '../../sandbox/explain';
import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { SandboxSummary } from '../../supervisor/protocol';
import type { LoggedSandbox } from './networkLog';
import {
  attemptGroups,
  canBeAllowed,
  deniedHostOf,
  filteredLogs,
  isAllowedNow,
  type AttemptGroup,
  type DeniedHost,
  type HostDecisions,
  type NetworkFilter,
} from './networkLogGroups';
import { agoText, bytesText, durationText, reasonText, reasonWords, verdictWords } from './networkLogText';
import { endOfLong } from '../longLabel';
import { plainText } from '../plainText';
import type { TreeRow } from '../treeRowData';

/** One line of the view, as data. */
export interface NetworkRow extends TreeRow {
  /** stays the same while the line is there */
  readonly id: string;
  readonly denied: DeniedHost | undefined;
}

export interface NetworkRowsOptions {
  readonly filter: NetworkFilter;
  readonly decisionsFor: (summary: SandboxSummary) => HostDecisions;
  /** milliseconds since the epoch */
  readonly now: number;
  /** turns a message into text that is safe to show */
  readonly render: typeof formatMessage;
}

/** So many lines are shown; all attempts are in what is exported. */
const shownRows = 1000;

/** The lines of the view, the newest first. */
export function networkRows(sandboxes: readonly LoggedSandbox[], options: NetworkRowsOptions): NetworkRow[] {
  const logs = filteredLogs(sandboxes, options.filter);
  const decisions = new Map(logs.map((log) => [log, options.decisionsFor(log.summary)] as const));
  return attemptGroups(logs)
    .slice(0, shownRows)
    .map((group) => {
      const denied = group.latest.verdict === 'denied' ? deniedHostOf(group) : undefined;
      const state = denied && deniedState(denied, decisions.get(group.sandbox));
      return rowOf({ ...group, denied, state }, sandboxes.length > 1, options);
    });
}

/** A host and port as one text that can be shown in labels, of a long name the end. @param host hostile */
export function hostLabel(host: string, port: number): string {
  return wholeHostLabel(endOfLong(host), port);
}

/** The same with the whole name, at most 253 characters, for plain-text tooltips. @param host hostile */
export function wholeHostLabel(host: string, port: number): string {
  return plainText(host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
}

/** the longest text of an IPv6 address (inet_pton(3): INET6_ADDRSTRLEN, without the final zero) */
const addressLength = 45;

/** How a sandbox is named among others of this window. */
export function sandboxName({ summary }: LoggedSandbox, render: typeof formatMessage): string {
  return `${plainText(basename(summary.workspace))}, ${render(kindTitle(summary.kind))}`;
}

/** A group with what the user can decide on it, and has. */
interface JudgedGroup extends AttemptGroup {
  readonly denied: DeniedHost | undefined;
  readonly state: DeniedState;
}

function rowOf(group: JudgedGroup, namesSandbox: boolean, options: NetworkRowsOptions): NetworkRow {
  const { sandbox, latest, denied } = group;
  const { id } = sandbox.summary;
  const label = hostLabel(latest.host, latest.port);
  const facts = factsOf(group, options);
  return {
    id: denied ? `denied ${id} ${latest.port} ${latest.host}` : `attempt ${id} ${latest.id}`,
    label,
    description: [...facts, ...(namesSandbox ? [sandboxName(sandbox, options.render)] : [])].join(' · '),
    icon: iconOf(group),
    tooltip: tooltipOf(group, options.render),
    accessibleLabel: [label, ...facts, sandboxName(sandbox, options.render)].join(', '),
    contextValue: denied ? tagsOf(denied, group.state).join(' ') : 'attempt',
    denied,
  };
}

/** What the user has decided on a denied host since. */
type DeniedState = 'allowedNow' | 'keptDenied' | undefined;

function deniedState(denied: DeniedHost, decisions: HostDecisions | undefined): DeniedState {
  if (decisions && isAllowedNow(denied, decisions)) {
    return 'allowedNow';
  }
  return decisions?.keptDenied.has(denied.host) ? 'keptDenied' : undefined;
}

function factsOf({ latest, count, state }: JudgedGroup, options: NetworkRowsOptions): string[] {
  const { render, now } = options;
  const texts: Message[] = [
    // first: a side bar has no place for all
    ...(state === 'allowedNow' ? [message('allowed now')] : []),
    ...(state === 'keptDenied' ? [message('kept denied')] : []),
    count > 1 ? message('denied {0} times', count) : verdictWords(latest),
    ...(latest.reason === undefined ? [] : [reasonWords(latest.reason)]),
    ...(latest.kind === 'plain' ? [message('not encrypted')] : []),
    agoText(now - latest.time),
  ];
  return [...texts.map((text) => render(text)), ...trafficOf(latest, render)];
}

/** Nothing for what did not come about, or goes on: its bytes are counted when it is over. */
function trafficOf(entry: NetworkEntry, render: typeof formatMessage): string[] {
  const { bytesSent, bytesReceived, durationMilliseconds: duration } = entry;
  if (duration === undefined || (entry.verdict !== 'allowed' && bytesSent + bytesReceived === 0)) {
    return [];
  }
  return [
    render(message('{0} sent, {1} received', bytesText(bytesSent), bytesText(bytesReceived))),
    durationText(duration),
  ];
}

function tooltipOf(
  { sandbox, latest, count, firstTime }: AttemptGroup,
  render: typeof formatMessage,
): string {
  const time = new Date(latest.time).toLocaleString();
  const purpose = latest.verdict === 'denied' ? ownPurpose(latest.host) : undefined;
  return [
    wholeHostLabel(latest.host, latest.port),
    ...(latest.reason === undefined ? [] : [render(reasonText(latest.reason))]),
    ...(latest.address === undefined
      ? []
      : [render(message('Address: {0}', latest.address.slice(0, addressLength)))]),
    ...(purpose === undefined ? [] : [render(purpose)]),
    count > 1
      ? render(message('Tried {0} times from {1} to {2}', count, new Date(firstTime).toLocaleString(), time))
      : render(message('Tried at {0}', time)),
    sandboxName(sandbox, render),
  ].join('\n');
}

function iconOf({ latest: { verdict, durationMilliseconds }, state }: JudgedGroup): string {
  switch (verdict) {
    case 'allowed':
      return durationMilliseconds === undefined ? 'arrow-swap' : 'check';
    case 'failed':
      return 'warning';
    case 'denied':
      return state === undefined ? 'circle-slash' : deniedIcons[state];
  }
}

const deniedIcons = { allowedNow: 'pass', keptDenied: 'bell-slash' } as const;

function tagsOf(denied: DeniedHost, state: DeniedState): string[] {
  const helps = canBeAllowed(denied) && state !== 'allowedNow';
  return [
    'denied',
    ...(helps ? ['allow'] : []),
    ...(helps && denied.isRunning ? ['once'] : []),
    ...(state === undefined ? ['keep'] : []),
  ];
}
