import { quote } from '../../sandbox/commandLine';
import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { Command } from '../../setup/distribution';
import type { Fix, LineId, LineState, SetupLine } from '../../setup/line';
import { firstBlocking } from '../../setup/checkSetup';
import { plainText } from '../plainText';
import type { Tone } from '../report/reportBlock';
import type { PageBlock } from '../report/reportPage';

/** What the page of a check shows: undefined while it is being made. */
export type ShownCheck = readonly SetupLine[] | undefined;

/** What a button does with a fix. */
export type FixUse = 'do' | 'copy' | 'run';

/** The button for looking again. */
export const againKey = 'again';

type Render = typeof formatMessage;

/**
 * The page of a check: first what is wrong, each with its buttons, then a line for everything.
 * @param labelOf what a button that does what a message's button does says
 */
export function setupContent(lines: ShownCheck, render: Render, labelOf: (fix: Fix) => string): PageBlock[] {
  const title: PageBlock = { kind: 'heading', level: 1, text: render(message('Check of the setup')) };
  if (lines === undefined) return [title, { kind: 'paragraph', text: render(message('Looking…')) }];
  const wrong = lines.filter(({ state }) => state === 'problem' || state === 'warning');
  return [
    title,
    headline(lines, render),
    ...wrong.flatMap((line) => sectionOf(line, render, labelOf)),
    { kind: 'heading', level: 2, text: render(message('Everything that a sandbox needs')) },
    tableOf(lines, render),
    { kind: 'buttons', buttons: [{ key: againKey, text: render(message('Check Again')) }] },
  ];
}

/** The key of a button of a line, which {@link fixOf} understands. */
function keyOf({ id }: SetupLine, index: number, use: FixUse): string {
  return `${id} ${index} ${use}`;
}

/** What the button with this key is for. The page can only name what is shown. */
export function fixOf(lines: readonly SetupLine[], key: string): { fix: Fix; use: FixUse } | undefined {
  for (const line of lines) {
    for (const [index, fix] of line.fixes.entries()) {
      const use = usesOf(fix).find((candidate) => keyOf(line, index, candidate) === key);
      if (use) return { fix, use };
    }
  }
  return undefined;
}

function usesOf(fix: Fix): readonly FixUse[] {
  return fix.kind === 'commands' ? ['copy', 'run'] : ['do'];
}

function headline(lines: readonly SetupLine[], render: Render): PageBlock {
  const first = firstBlocking(lines);
  if (first) {
    return { kind: 'paragraph', text: render(message('No sandbox can be started yet.')), tone: 'bad' };
  }
  const wasTried = lines.some(({ id, state }) => id === 'container' && state === 'ok');
  return wasTried
    ? { kind: 'paragraph', text: render(message('A sandbox can be started.')), tone: 'good' }
    : { kind: 'paragraph', text: render(message('Nothing was found that is wrong.')), tone: 'unknown' };
}

function sectionOf(line: SetupLine, render: Render, labelOf: (fix: Fix) => string): PageBlock[] {
  const { id, state, detail, advice, fixes } = line;
  const commands = fixes.flatMap((fix) => (fix.kind === 'commands' ? fix.commands : []));
  const buttons = fixes.flatMap((fix, index) =>
    usesOf(fix).map((use) => ({ key: keyOf(line, index, use), text: buttonText(fix, use, render, labelOf) })),
  );
  return [
    { kind: 'heading', level: 2, text: `${render(lineTitles[id])}: ${render(stateWords[state])}` },
    { kind: 'paragraph', text: render(detail) },
    ...(advice ? [{ kind: 'paragraph', text: render(advice) } as const] : []),
    ...(commands.length > 0 ? [{ kind: 'list', items: commands.map(commandText) } as const] : []),
    ...(buttons.length > 0 ? [{ kind: 'buttons', buttons } as const] : []),
  ];
}

function buttonText(fix: Fix, use: FixUse, render: Render, labelOf: (fix: Fix) => string): string {
  switch (use) {
    case 'copy':
      return render(message('Copy'));
    case 'run':
      return render(message('Run in Terminal…'));
    case 'do':
      return fix.kind === 'useProgram' ? render(message('Use {0}', fix.path)) : labelOf(fix);
  }
}

/** A command as one would type it. */
export function commandText(command: Command): string {
  return plainText(command.map(quote).join(' '));
}

function tableOf(lines: readonly SetupLine[], render: Render): PageBlock {
  const titles = [message('What'), message('State'), message('What was seen')];
  const rows = lines.map(({ id, state, detail }) => [
    { text: render(lineTitles[id]) },
    { text: render(stateWords[state]), tone: stateTones[state] },
    { text: render(detail) },
  ]);
  return { kind: 'table', titles: titles.map(render), rows };
}

const stateWords: Readonly<Record<LineState, Message>> = {
  ok: message('ok'),
  warning: message('could be better'),
  problem: message('problem'),
  unknown: message('not known'),
};

const stateTones: Readonly<Record<LineState, Tone>> = {
  ok: 'good',
  warning: 'warning',
  problem: 'bad',
  unknown: 'unknown',
};

const lineTitles: Readonly<Record<LineId, Message>> = {
  system: message('Computer'),
  apptainer: message('Apptainer'),
  mode: message('How Apptainer is installed'),
  userNamespaces: message('User namespaces'),
  fuse: message('Mounting images (FUSE)'),
  helpers: message('Programs that Apptainer needs'),
  configuration: message('Configuration of Apptainer'),
  siteBinds: message('What Apptainer’s configuration binds'),
  seccomp: message('Filter for system calls (seccomp)'),
  image: message('Image'),
  container: message('Start of a container'),
  imageSpace: message('Room for images'),
  cacheSpace: message('Room for downloads'),
  temporarySpace: message('Room for unpacking'),
  temporaryPrograms: message('Programs in the folder for unpacking'),
  homeSpace: message('Room for the agent’s sessions'),
  fileSystem: message('File system of the folder'),
};
