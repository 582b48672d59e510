import { isTrouble, modelHealthMessage } from '../../gateway/modelHealth';
import { factTitle, lineStatusWord } from '../../sandbox/explain';
import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { NetworkMode } from '../../sandbox/specification';
import { isStale, type VerdictLine } from '../../sandbox/verdict';
import type { SandboxStatus, UndoStatus } from '../../supervisor/protocol';
import type { IndicatorInput, IndicatorState, ShownSandbox } from './indicator';

/** So many facts that do not hold are named; the report has them all. */
const namedFacts = 3;

/**
 * What the status item explains of itself, in plain text: for each sandbox what it is isolated from, and for a single
 * one also what it reaches and whether what it does can be undone. Facts are named only when they do not hold; what was
 * seen of the others is in the report. Nothing in it changes while all is well: VS Code would close it under the pointer.
 *
 * @param state that of the item, which decides what a click does
 * @param render turns a message into text that is safe to show
 */
export function statusTooltip(
  input: IndicatorInput,
  state: IndicatorState,
  render: typeof formatMessage,
): string {
  const { sandboxes, starting, obstacle, findings = 0, proof, now } = input;
  const isOnly = sandboxes.length === 1;
  const lines = [
    ...(findings > 0 ? [render(thereAreFindings)] : []),
    ...sandboxes.flatMap((sandbox) => sandboxLines(sandbox, isOnly, now, render)),
    ...(starting > 0 ? [render(isStarting)] : []),
  ];
  if (lines.length === 0) lines.push(render(obstacle ?? message('No sandbox is running.')));
  if (proof) lines.push(render(proof));
  const click = clickText(state, input);
  return [...lines, ...(click ? [render(click)] : [])].join('\n');
}

const thereAreFindings = message(
  'While a sandbox ran, something was made or changed that this computer may act on.',
);
const isStarting = message('A sandbox is being started. Nothing runs in it before it has been verified.');

function clickText(
  state: IndicatorState,
  { sandboxes, findings = 0, obstacle, isSetupObstacle }: IndicatorInput,
): Message | undefined {
  if (findings > 0 && state !== 'broken') return message('Click to see what that is.');
  if (sandboxes.length > 0) return message('Click for the report.');
  if (isSetupObstacle === true) return message('Click to see what is missing.');
  return obstacle || state !== 'ready' ? undefined : message('Click to start the sandboxed agent.');
}

/** What is wrong with the models of a sandbox that has not ended. Without a model opencode waits for ever. */
export function modelTrouble(
  { phase, models = [] }: SandboxStatus,
  now: number,
  render: typeof formatMessage,
): string[] {
  const troubled = phase === 'ended' ? [] : models.filter((health) => isTrouble(health, now));
  return troubled.flatMap((health) => {
    const text = modelHealthMessage(health);
    return text ? [`${health.providerId}: ${render(text)}`] : [];
  });
}

function sandboxLines(
  { summary, status, problem, notes = [] }: ShownSandbox,
  isOnly: boolean,
  now: number,
  render: typeof formatMessage,
): string[] {
  const { verdict, phase, end } = status;
  const failing = (verdict?.lines ?? []).filter((line) => line.status !== 'holds').slice(0, namedFacts);
  const isIsolated = verdict && !isStale(verdict, now) && failing.length === 0 && phase !== 'ended';
  // a sandbox that was ended for a fact says that in the line of the fact
  const explanation = failing.some(({ detail }) => detail.text === end?.explanation?.text)
    ? undefined
    : end?.explanation;
  const said = [...notes, explanation, problem].filter((line) => line !== undefined);
  return [
    render(
      isIsolated
        ? message('Sandbox for {0}, isolated from your other files: verified just now', summary.workspace)
        : message('Sandbox for {0}', summary.workspace),
    ),
    ...modelTrouble(status, now, render),
    ...[...said, ...ageLines(status, now)].map((line) => render(line)),
    ...failing.map((line) => factLine(line, render)),
    ...(isOnly && phase === 'running' ? furtherLines(status, now) : []).map((line) => render(line)),
  ];
}

/** Said of a verdict that says nothing about now. */
function ageLines({ verdict }: SandboxStatus, now: number): Message[] {
  if (!verdict) return [message('Nothing has been verified yet.')];
  if (!isStale(verdict, now)) return [];
  const time = new Date(verdict.time).toLocaleTimeString();
  return [message('Last verified at {0}, which says nothing about now.', time)];
}

function factLine({ fact, status, detail }: VerdictLine, render: typeof formatMessage): string {
  return `✗ ${render(factTitle(fact))} (${render(lineStatusWord(status))}): ${render(detail)}`;
}

function furtherLines({ verdict, undo }: SandboxStatus, now: number): Message[] {
  const network = verdict && !isStale(verdict, now) ? [networks[verdict.network]] : [];
  return [...network, ...(undo ? [undoTexts[undo.state]] : [])];
}

const networks: Readonly<Record<NetworkMode, Message>> = {
  restricted: message('Network: its model and the hosts that you allow.'),
  none: message('Network: nothing but its model.'),
  open: message('Network: open. It reaches whatever this computer reaches.'),
};

const undoTexts: Readonly<Record<UndoStatus['state'], Message>> = {
  taking: message('Undo: your files are being noted first.'),
  ready: message('Undo: what it changes can be reviewed and taken back.'),
  failed: message('Undo: your files could not be noted.'),
  without: message('Undo: not in this run.'),
};
