import {
  factTitle,
  howKnown,
  howRequested,
  kindTitle,
  lineStatusWord,
  requestedOnly,
  verdictHeadline,
} from '../../sandbox/explain';
import { message, type Message } from '../../sandbox/message';
import { isStale, type LineStatus, type Verdict, type VisiblePath } from '../../sandbox/verdict';
import type { SandboxEnd } from '../../supervisor/protocol';
import { plainText } from '../plainText';
import { reachBlocks } from './reachReport';
import { paragraph, type Render, type ReportBlock, type Tone } from './reportBlock';
import type { IndicatorState, ShownSandbox } from '../status/indicator';
import { lastVerified, sandboxState } from '../status/statusText';

/**
 * What there is to report of these sandboxes: for each the facts, how and when they were established, and every path
 * of the host that is visible.
 * @param now milliseconds since the epoch
 * @param render turns a message into text
 * @param proof what the last attempt to get out has shown
 */
export function reportContent(
  sandboxes: readonly ShownSandbox[],
  now: number,
  render: Render,
  proof?: Message,
): ReportBlock[] {
  const title: ReportBlock = { kind: 'heading', level: 1, text: render(message('Isolation report')) };
  const text = render(
    sandboxes.length === 0
      ? message('No sandbox is running.')
      : message('Nothing here rests on what a program in a sandbox says of itself.'),
  );
  return [
    title,
    { kind: 'paragraph', text },
    ...(proof ? [paragraph(render(proof), undefined)] : []),
    ...sandboxes.flatMap((sandbox) => sandboxSection(sandbox, now, render)),
  ];
}

function sandboxSection(sandbox: ShownSandbox, now: number, render: Render): ReportBlock[] {
  const { summary, status } = sandbox;
  const { verdict } = status;
  return [
    { kind: 'heading', level: 2, text: render(kindTitle(summary.kind)) },
    { kind: 'list', items: aboutSandbox(sandbox, render).map(render) },
    ...(verdict
      ? verdictSection(
          verdict,
          status.end === undefined && !isStale(verdict, now),
          sandboxState(status, now),
          render,
        )
      : [paragraph(render(message('Nothing has been verified yet.')), 'unknown')]),
    ...(sandbox.problem ? [] : reachBlocks(sandbox, render)),
  ];
}

function aboutSandbox({ summary, status, problem, notes = [] }: ShownSandbox, render: Render): Message[] {
  const started = new Date(summary.startedAt).toLocaleString();
  return [
    message('Folder: {0}', summary.workspace),
    // a supervisor that does not answer can't say
    ...(summary.image === '' ? [] : [message('Image: {0}', summary.image)]),
    message('Started: {0}, supervisor process {1}', started, summary.supervisorPid),
    ...notes,
    ...(status.end ? [endOf(status.end, render)] : []),
    ...(problem ? [problem] : []),
  ];
}

function endOf({ explanation }: SandboxEnd, render: Render): Message {
  return explanation ? message('Ended: {0}', render(explanation)) : message('Ended.');
}

function verdictSection(
  verdict: Verdict,
  isPresent: boolean,
  state: IndicatorState,
  render: Render,
): ReportBlock[] {
  const headline =
    isPresent || verdict.state === 'broken' ? verdictHeadline(verdict) : message('not verified');
  return [
    paragraph(render(headline), tones[state]),
    paragraph(
      render(isPresent ? verifiedAt(verdict) : lastVerified(verdict)),
      isPresent ? undefined : 'unknown',
    ),
    factTable(verdict, render),
    { kind: 'heading', level: 3, text: render(message('What the sandbox sees of this computer')) },
    pathTable(verdict.visiblePaths, render),
  ];
}

function verifiedAt({ time }: Verdict): Message {
  return message('Verified at {0}, and again every two seconds.', new Date(time).toLocaleTimeString());
}

function factTable({ lines }: Verdict, render: Render): ReportBlock {
  const titles = [message('Promise'), message('State'), message('What was seen'), message('How it is known')];
  // what is wrong comes first
  const order: readonly LineStatus[] = ['broken', 'degraded', 'holds'];
  const sorted = [...lines].sort((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
  const verified = sorted.map(({ fact, status, detail }) => [
    { text: render(factTitle(fact)) },
    { text: render(lineStatusWord(status)), tone: lineTones[status] },
    { text: render(detail) },
    { text: render(howKnown(fact)) },
  ]);
  const requested = requestedOnly.map(({ title, detail }) => [
    { text: render(title) },
    { text: render(message('not verified')), tone: 'unknown' as const },
    { text: render(detail) },
    { text: render(howRequested) },
  ]);
  return { kind: 'table', titles: titles.map(render), rows: [...verified, ...requested] };
}

function pathTable(paths: readonly VisiblePath[], render: Render): ReportBlock {
  const titles = [message('On this computer'), message('In the sandbox'), message('Access')];
  const rows = paths.map(({ hostPath, containerPath, mode }) => [
    { text: plainText(hostPath) },
    { text: plainText(containerPath) },
    { text: render(mode === 'readWrite' ? message('read and write') : message('read only')) },
  ]);
  return { kind: 'table', titles: titles.map(render), rows };
}

const lineTones: Readonly<Record<LineStatus, Tone>> = { holds: 'good', degraded: 'bad', broken: 'bad' };

const tones: Readonly<Record<IndicatorState, Tone>> = {
  broken: 'bad',
  degraded: 'bad',
  notVerified: 'unknown',
  starting: 'unknown',
  // it is what the setting says, and worth a second look
  isolatedNetworkOpen: 'warning',
  isolated: 'good',
  isolatedNoNetwork: 'good',
  unavailable: 'unknown',
  ready: 'unknown',
};
