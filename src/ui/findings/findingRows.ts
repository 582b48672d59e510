import { basename } from 'node:path';
import { type Finding, severityOf } from '../../guard/finding';
import { ruleOf, type Severity } from '../../guard/ruleTexts';
import { message, type formatMessage, type Message } from '../../sandbox/message';
import { endOfLong } from '../longLabel';
import { plainText } from '../plainText';
import type { TreeRow } from '../treeRowData';

/** A finding with the workspace that it is in. */
export interface PlacedFinding {
  /** real path */
  readonly workspace: string;
  readonly finding: Finding;
}

/** One line of the view *Findings*, as data. */
export interface FindingRow extends TreeRow {
  /** stays the same while the finding stands */
  readonly id: string;
  readonly placed: PlacedFinding;
}

type Render = typeof formatMessage;

/**
 * The rows of the view, in the order of the findings.
 * @param render turns a message into text that is safe to show
 */
export function findingRows(findings: readonly PlacedFinding[], render: Render): FindingRow[] {
  const hasSeveral = new Set(findings.map(({ workspace }) => workspace)).size > 1;
  return findings.map((placed) => {
    const { workspace, finding } = placed;
    const { what, why } = ruleOf(finding.mark.rule);
    const path = plainText(finding.path);
    const label = plainText(endOfLong(finding.path));
    const words = [changeWord(finding), what].map(render);
    const place = hasSeveral ? [plainText(basename(workspace))] : [];
    const severity = severityOf(finding);
    return {
      ...{ id: `${workspace}\n${finding.path}`, placed, label },
      description: [...words, ...place].join(' · '),
      icon: icons[severity],
      tooltip: [path, words.join(', '), render(why), render(foundAt(finding))].join('\n'),
      accessibleLabel: [render(severityWords[severity]), path, ...words, ...place].join(', '),
      contextValue: ['finding', ...(finding.isGone ? [] : ['present'])].join(' '),
    };
  });
}

/** All findings as a text for an editor. The agent chose the names, so they are made plain. */
export function findingsText(findings: readonly PlacedFinding[], more: number, render: Render): string {
  const lines = findings.flatMap(({ workspace, finding }) => {
    const { what, why } = ruleOf(finding.mark.rule);
    return [
      `${render(severityWords[severityOf(finding)])}: ${plainText(finding.path)}`,
      `    ${[changeWord(finding), what].map(render).join(', ')} · ${plainText(workspace)}`,
      `    ${render(why)}`,
      `    ${render(foundAt(finding))}`,
      '',
    ];
  });
  return [
    render(message('Findings: what was made or changed while a sandbox ran, and this computer may act on')),
    '',
    ...(lines.length > 0 ? lines : [render(message('There are none.')), '']),
    ...(more > 0 ? [render(message('… and {0} more', more)), ''] : []),
  ].join('\n');
}

/** What the status item says of findings that wait for an answer. */
export function findingsCount(count: number): Message {
  return count === 1 ? message('1 finding') : message('{0} findings', count);
}

function changeWord({ change, isGone }: Finding): Message {
  if (isGone === true) {
    return change === 'new' ? message('gone again') : message('changed, then put back or removed');
  }
  return change === 'new' ? message('new') : message('changed');
}

function foundAt(finding: Finding): Message {
  return message('Found at {0}', new Date(finding.foundAt).toLocaleString());
}

const icons: Readonly<Record<Severity, string>> = { severe: 'error', warning: 'warning', notice: 'info' };

const severityWords: Readonly<Record<Severity, Message>> = {
  severe: message('Runs by itself'),
  warning: message('Can run'),
  notice: message('Runs when asked'),
};
