import { message, type Message } from '../../sandbox/message';
import type { NetworkMode } from '../../sandbox/specification';
import type { SandboxReach } from '../../supervisor/protocol';
import { plainText } from '../plainText';
import { paragraph, type Cell, type Render, type ReportBlock } from './reportBlock';
import type { ShownSandbox } from '../status/indicator';

/**
 * What a sandbox that runs may reach: the mode of its network, the hosts that were allowed and the models, each with
 * the time from which and until which that counts, as far as known. Nothing for one that has ended.
 */
export function reachBlocks({ summary, status, allowedOnce }: ShownSandbox, render: Render): ReportBlock[] {
  const { verdict, reach, end } = status;
  if (end) return [];
  const mode = verdict?.network ?? summary.network;
  const rows = reach ? reachRows(reach, summary.startedAt, new Set(allowedOnce), render) : [];
  const titles = [message('Host or address'), message('What it is'), message('Since'), message('Until')];
  const notes = reach ? notesOn(reach, mode) : [];
  return [
    { kind: 'heading', level: 3, text: render(message('What it may reach')) },
    paragraph(render(modeTexts[mode])),
    ...(rows.length > 0 ? [{ kind: 'table', titles: titles.map(render), rows } as const] : []),
    ...notes.map((note) => paragraph(render(note))),
  ];
}

const modeTexts: Readonly<Record<NetworkMode, Message>> = {
  restricted: message(
    'restricted: its models and the hosts that you allowed, through the gateway, and nothing else',
  ),
  none: message('none: its models alone, through the gateway'),
  open: message(
    'open: whatever this computer reaches, services of this computer itself among it; only the models are reached through the gateway',
  ),
};

function notesOn({ hosts, models, siteProxy }: SandboxReach, mode: NetworkMode): Message[] {
  return [
    ...(models.length === 0 ? [message('It reaches no model through the gateway.')] : []),
    ...(hosts.length === 0 && mode === 'restricted' ? [message('No hosts are allowed.')] : []),
    ...(hosts.length > 0 ? [message('A host without a port stands for its ports 443 and 80.')] : []),
    ...(siteProxy === undefined
      ? []
      : [message('The gateway goes through the proxy of this site: {0}', siteProxy)]),
  ];
}

function reachRows(
  { hosts, models }: SandboxReach,
  startedAt: number,
  allowedOnce: ReadonlySet<string>,
  render: Render,
): Cell[][] {
  const row = (address: string, what: Message, since: number, until: Message): Cell[] => [
    { text: plainText(address) },
    { text: render(what) },
    { text: new Date(since).toLocaleString() },
    { text: render(until) },
  ];
  return [
    // the gateway adds no model to those with which it was started
    ...models.map(({ baseUrl, providerId }) =>
      row(baseUrl, message('model, {0}', providerId), startedAt, untilEnd),
    ),
    ...hosts.map(({ entry, since }) =>
      row(entry, message('allowed host'), since, allowedOnce.has(entry) ? untilEnd : untilRemoved),
    ),
  ];
}

const untilEnd = message('this sandbox ends');
const untilRemoved = message('you remove it');
