import { groupTitles } from '../../src/probes/groupTitles';
import { groupNames, type Group } from '../../src/probes/probe';
import type { ProofDocument } from '../../src/probes/result';
import { formatMessage } from '../../src/sandbox/message';
import type { ReportBlock } from '../../src/ui/report/reportBlock';
import { reportMarkdown } from '../../src/ui/report/reportText';

/** Short, and readable without colours. */
const marks = { held: 'held', 'not held': 'NOT HELD', 'not applicable': '–' } as const;

/** Several runs side by side as a table for a terminal: a line for each probe, a column for each target. */
export function sideBySide(runs: readonly ProofDocument[]): string {
  const [first] = runs;
  if (!first) return '';
  const width = Math.max(...first.probes.map(({ id }) => id.length)) + 2;
  const line = (name: string, cells: readonly string[]): string =>
    `${name.padEnd(width)}${cells.map((cell) => cell.padEnd(10)).join('')}`.trimEnd();
  const rows = first.probes.map(({ id, title }, index) => {
    const cells = runs.map(({ probes }) => marks[probes[index]?.result ?? 'not applicable']);
    return `${line(id, cells)}  ${title}`;
  });
  const sums = runs.map(({ summary }) => `${summary.held}/${summary.judged}`);
  return [
    line(
      '',
      runs.map(({ target }) => target),
    ),
    ...rows,
    line('held', sums),
  ].join('\n');
}

/** The same as a Markdown document, a table for each group, with dates, versions and command lines. */
export function comparison(runs: readonly ProofDocument[]): string {
  const about = runs.map(({ target, time, versions, argv }) => {
    const known = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
    return `${target}: ${time.slice(0, 10)}; ${known.join(', ')}; ${argv.join(' ')}`;
  });
  const sums = runs.map(({ target, summary }) => ({ text: `${target}: ${summary.held}/${summary.judged}` }));
  const blocks: ReportBlock[] = [
    { kind: 'heading', level: 1, text: 'What holds where' },
    {
      kind: 'paragraph',
      text: 'One run of the same battery in each, judged by what the host saw. A dash: does not apply there.',
    },
    { kind: 'list', items: about },
    { kind: 'paragraph', text: `Held of those that apply: ${sums.map(({ text }) => text).join(', ')}.` },
    ...groupNames.flatMap((group) => groupTable(group, runs)),
  ];
  return reportMarkdown(blocks);
}

function groupTable(group: Group, runs: readonly ProofDocument[]): ReportBlock[] {
  const rows = (runs[0]?.probes ?? []).flatMap((probe, index) =>
    probe.group === group
      ? [[probe.title, ...runs.map(({ probes }) => marks[probes[index]?.result ?? 'not applicable'])]]
      : [],
  );
  return [
    { kind: 'heading', level: 2, text: formatMessage(groupTitles[group]) },
    {
      kind: 'table',
      titles: ['What was tried', ...runs.map(({ target }) => target)],
      rows: rows.map((row) => row.map((text) => ({ text }))),
    },
  ];
}
