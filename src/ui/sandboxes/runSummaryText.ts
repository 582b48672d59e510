import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { SandboxKind } from '../../sandbox/specification';
import type { SandboxEnd } from '../../supervisor/protocol';
import { endText, isAlarming } from '../terminal/endText';

/** What a sandbox has done, in numbers: names of files and hosts are the agent's, and reach no notification. */
export interface RunFacts {
  /** undefined when nothing was kept to compare the folder with */
  readonly files: number | undefined;
  /** guarded files that it changed */
  readonly findings: number;
  /** attempts to reach a host */
  readonly denied: number;
}

/**
 * What is told when a sandbox has ended. Of a task the outcome is told in any case, of anything else only what is
 * worth knowing; a bad end is told elsewhere.
 * @returns undefined when there is nothing to tell
 */
export function summaryText(
  kind: SandboxKind,
  end: SandboxEnd,
  facts: RunFacts,
  render: typeof formatMessage,
): Message | undefined {
  const parts = factTexts(facts);
  const isToldOf = kind === 'task' && !isAlarming(end);
  if (!isToldOf && parts.length === 0) return undefined;
  const outcome = isToldOf ? taskText(end, render) : message('The sandbox has ended.');
  const sentences = [
    render(outcome),
    ...(parts.length === 0 ? [] : [`${parts.map((part) => render(part)).join(', ')}.`]),
  ];
  return sentences.length === 1 ? message('{0}', sentences[0] ?? '') : message('{0} {1}', ...sentences);
}

function factTexts({ files, findings, denied }: RunFacts): Message[] {
  return [
    ...counted(files ?? 0, message('1 file changed'), message('{0} files changed', files ?? 0)),
    ...counted(findings, message('1 finding'), message('{0} findings', findings)),
    ...counted(denied, message('1 denied network attempt'), message('{0} denied network attempts', denied)),
  ];
}

function counted(count: number, one: Message, several: Message): Message[] {
  return count === 0 ? [] : [count === 1 ? one : several];
}

function taskText(end: SandboxEnd, render: typeof formatMessage): Message {
  return end.reason === 'exited' && end.exitCode !== undefined
    ? message('The task has ended with exit code {0}.', end.exitCode)
    : endText(end, render);
}
