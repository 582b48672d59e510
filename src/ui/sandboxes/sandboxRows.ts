import { basename, dirname } from 'node:path';
import type { HostSandbox } from '../../launch/hostSandboxes';
import type { KnownSandbox } from '../../launch/sandboxRegistry';
import { kindName } from '../../sandbox/explain';
import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { NetworkMode, SandboxKind } from '../../sandbox/specification';
import { plainText } from '../plainText';
import type { IndicatorState } from '../status/indicator';
import { sandboxState, stateIcon } from '../status/statusText';
import type { TreeRow } from '../treeRowData';

/** What a row can say of a sandbox: what the indicator can, and that nobody answers. */
export type RowState = Exclude<IndicatorState, 'ready' | 'unavailable'> | 'notAnswering' | 'otherVersion';

/** A sandbox as the view lists it. */
export interface ListedSandbox {
  readonly id: string;
  readonly kind: SandboxKind;
  readonly workspace: string;
  readonly socket: string;
  readonly state: RowState;
  /** unknown while its supervisor does not answer */
  readonly network?: NetworkMode;
  /** milliseconds since the epoch; unknown while its supervisor does not answer */
  readonly startedAt?: number;
}

/** One line of the view, as data. */
export interface Row extends TreeRow {
  /** stays the same while the sandbox lives */
  readonly id: string;
  readonly sandbox?: ListedSandbox;
  readonly children: readonly Row[];
}

/**
 * The sandboxes to list: what this window knows, the worst of it too, and what else lives on this host.
 * @param now milliseconds since the epoch
 */
export function listedSandboxes(
  known: readonly KnownSandbox[],
  others: readonly HostSandbox[],
  now: number,
): ListedSandbox[] {
  const asked = new Set(others.filter(({ answer }) => answer !== 'asking').map(({ entry }) => entry.id));
  // of one with a problem the host's list says which, once it was asked there
  const own = known.filter(({ summary, problem }) => !problem || !asked.has(summary.id));
  const ownIds = new Set(own.map(({ summary }) => summary.id));
  return [
    ...own.map(({ socket, summary, status }) => ({
      ...summary,
      socket,
      state: rowState(sandboxState(status, now)),
    })),
    ...others.filter(({ entry }) => !ownIds.has(entry.id)).map((other) => listedOther(other, now)),
  ];
}

function listedOther({ entry, answer, live }: HostSandbox, now: number): ListedSandbox {
  const { id, kind, workspace, socket } = entry;
  if (live) {
    const { network, startedAt } = live.summary;
    const state = rowState(sandboxState(live.status, now));
    return { id, kind, workspace, socket, network, startedAt, state };
  }
  const state = answer === 'notAnswering' || answer === 'otherVersion' ? answer : 'starting';
  return { id, kind, workspace, socket, state };
}

function rowState(state: IndicatorState): RowState {
  return state === 'ready' || state === 'unavailable' ? 'notVerified' : state;
}

/**
 * The rows of the view: first the sandboxes of this window's folders, then every other folder with its own. What is
 * told first is seen in a narrow side bar, too: what it is, whether it is isolated, and its network. The folder is
 * named where there are several.
 * @param folders real paths of this window's folders
 * @param now milliseconds since the epoch
 * @param render turns a message into text that is safe to show
 */
export function sandboxRows(
  sandboxes: readonly ListedSandbox[],
  folders: ReadonlySet<string>,
  now: number,
  render: typeof formatMessage,
): Row[] {
  const own = sandboxes.filter(({ workspace }) => folders.has(workspace));
  const others = new Map<string, ListedSandbox[]>();
  for (const sandbox of sandboxes.filter(({ workspace }) => !folders.has(workspace))) {
    others.set(sandbox.workspace, [...(others.get(sandbox.workspace) ?? []), sandbox]);
  }
  return [
    ...own.map((sandbox) => {
      const name = render(kindName(sandbox.kind));
      const label = folders.size > 1 ? `${name} (${folderName(sandbox.workspace)})` : name;
      const row = sandboxRow(sandbox, label, now, render);
      // its settings are those of the folder, and so is what it changes
      return { ...row, contextValue: `${row.contextValue} commandLine changes` };
    }),
    ...[...others].map(([workspace, inside]) => folderRow(workspace, inside, now, render)),
  ];
}

function folderRow(
  workspace: string,
  sandboxes: readonly ListedSandbox[],
  now: number,
  render: typeof formatMessage,
): Row {
  return {
    id: `folder ${workspace}`,
    label: folderName(workspace),
    description: plainText(dirname(workspace)),
    icon: 'folder',
    tooltip: render(message('{0}, which is not open in this window', workspace)),
    accessibleLabel: render(message('Folder {0}, which is not open in this window', workspace)),
    contextValue: 'folder',
    children: sandboxes.map((sandbox) => sandboxRow(sandbox, render(kindName(sandbox.kind)), now, render)),
  };
}

function sandboxRow(sandbox: ListedSandbox, label: string, now: number, render: typeof formatMessage): Row {
  const { id, workspace, state, network, startedAt } = sandbox;
  const facts = [
    render(stateWords[state]),
    ...(network === undefined ? [] : [render(networkWords[network])]),
    ...(startedAt === undefined ? [] : [render(age(now - startedAt))]),
  ];
  return {
    id: `sandbox ${id}`,
    label,
    description: facts.join(' · '),
    icon: iconOf(state),
    tooltip: [render(message('Sandbox for {0}', workspace)), ...facts].join('\n'),
    accessibleLabel: [label, ...facts].join(', '),
    contextValue: tags(state).join(' '),
    sandbox,
    children: [],
  };
}

function folderName(workspace: string): string {
  return plainText(basename(workspace));
}

/** What can be done with a sandbox; other versions are attached to only to be told that it can't be. */
function tags(state: RowState): string[] {
  const isOver = state === 'broken';
  const answers = state !== 'notAnswering' && state !== 'otherVersion';
  return [
    'sandbox',
    ...(isOver || state === 'notAnswering' ? [] : ['attach']),
    ...(isOver ? [] : ['stop']),
    ...(answers ? ['report'] : []),
  ];
}

const stateWords: Readonly<Record<RowState, Message>> = {
  broken: message('broken'),
  degraded: message('degraded'),
  notVerified: message('not verified'),
  starting: message('starting'),
  isolated: message('isolated'),
  isolatedNetworkOpen: message('isolated'),
  isolatedNoNetwork: message('isolated'),
  notAnswering: message('not answering'),
  otherVersion: message('started by another version'),
};

const networkWords: Readonly<Record<NetworkMode, Message>> = {
  restricted: message('network restricted'),
  open: message('network open'),
  none: message('no network'),
};

function iconOf(state: RowState): string {
  return state === 'notAnswering' || state === 'otherVersion' ? 'debug-disconnect' : stateIcon(state);
}

/** @param milliseconds may be negative when a clock was set */
function age(milliseconds: number): Message {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  if (minutes < 1) {
    return message('just started');
  }
  if (minutes < 60) {
    return message('{0} min', minutes);
  }
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? message('{0} h', hours) : message('{0} days', Math.floor(hours / 24));
}
