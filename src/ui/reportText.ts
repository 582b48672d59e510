import { factTitle, kindTitle, lineStatusWord, verdictHeadline } from '../sandbox/explain';
import { message, type formatMessage, type Message } from '../sandbox/message';
import { isStale, type Verdict, type VisiblePath } from '../sandbox/verdict';
import { escapeMarkdown } from './plainText';
import { lastVerified, type ShownSandbox } from './statusText';

type Write = (message: Message) => string;

/**
 * The isolation report in Markdown. Every text is escaped: the report holds no links, images or HTML, whatever the
 * paths in it are called.
 * @param now milliseconds since the epoch
 * @param render turns a message into text
 */
export function isolationReport(
  sandboxes: readonly ShownSandbox[],
  now: number,
  render: typeof formatMessage,
): string {
  const write: Write = (text) => escapeMarkdown(render(text));
  const sections = sandboxes.map((sandbox) => sandboxSection(sandbox, now, write));
  if (sections.length === 0) {
    sections.push([write(message('No sandbox is running.'))]);
  }
  return (
    [[`# ${write(message('Isolation report'))}`], ...sections].map((lines) => lines.join('\n')).join('\n\n') +
    '\n'
  );
}

function sandboxSection(
  { summary, status, problem, notes = [] }: ShownSandbox,
  now: number,
  write: Write,
): string[] {
  const started = new Date(summary.startedAt).toLocaleString();
  const lines = [
    `## ${write(kindTitle(summary.kind))}`,
    '',
    `- ${write(message('Folder: {0}', summary.workspace))}`,
    // a supervisor that does not answer can't say
    ...(summary.image === '' ? [] : [`- ${write(message('Image: {0}', summary.image))}`]),
    `- ${write(message('Started: {0}, supervisor process {1}', started, summary.supervisorPid))}`,
    ...notes.map((note) => `- ${write(note)}`),
  ];
  if (status.end?.explanation) {
    lines.push(`- ${write(message('Ended:'))} ${write(status.end.explanation)}`);
  }
  if (problem) {
    lines.push(`- ${write(problem)}`);
  }
  const { verdict } = status;
  return verdict
    ? [...lines, '', ...verdictSection(verdict, now, write)]
    : [...lines, '', write(message('Nothing has been verified yet.'))];
}

function verdictSection(verdict: Verdict, now: number, write: Write): string[] {
  const stale = isStale(verdict, now);
  const headline = stale ? message('not verified') : verdictHeadline(verdict);
  return [
    `**${write(headline)}**`,
    '',
    write(stale ? lastVerified(verdict) : verifiedNow),
    '',
    ...table(
      [message('Fact'), message('State'), message('What was seen')].map(write),
      verdict.lines.map(({ fact, status, detail }) =>
        [factTitle(fact), lineStatusWord(status), detail].map(write),
      ),
    ),
    '',
    ...visiblePathsSection(verdict.visiblePaths, write),
  ];
}

/** Names no time: the page must only change when there is something new to read. */
const verifiedNow = message('Each line is verified from the host’s kernel facts every two seconds.');

function visiblePathsSection(paths: readonly VisiblePath[], write: Write): string[] {
  const rows = paths.map(({ hostPath, containerPath, mode }) => [
    escapeMarkdown(hostPath),
    escapeMarkdown(containerPath),
    write(mode === 'readWrite' ? message('read and write') : message('read only')),
  ]);
  return [
    write(message('What the sandbox sees of this computer:')),
    '',
    ...table([message('On this computer'), message('In the sandbox'), message('Access')].map(write), rows),
  ];
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)];
}
