import type { MessageLine, PartLine } from '../../opencode/sessions/lines';
import type { Session } from '../../opencode/sessions/sessionStore';
import { message, type formatMessage } from '../../sandbox/message';
import { escapeMarkdown } from '../plainText';

export interface TranscriptOptions {
  readonly render: typeof formatMessage;
  readonly timeName: (time: number) => string;
  /** there are messages before the first of these */
  readonly hasEarlier: boolean;
}

/**
 * A session as Markdown. Our own lines are headings and summaries; everything that comes from inside is in a quotation,
 * escaped, or in a fenced block that it can't end, so that it can't be a link, an image or HTML, nor look like ours.
 */
export function transcriptText(
  session: Session,
  messages: readonly MessageLine[],
  options: TranscriptOptions,
): string {
  const { render, timeName, hasEarlier } = options;
  const { title, model, cost, tokens, created, updated } = session;
  const facts = [
    ...(model === '' ? [] : [message('Model: {0}', escapeMarkdown(model))]),
    message('Tokens in all: {0}', tokens),
    message('Cost: {0}', `$${cost.toFixed(4)}`),
    message('Created: {0}', timeName(created)),
    message('Last used: {0}', timeName(updated)),
  ];
  return [
    `# ${render(message('Session'))}`,
    quote(title),
    facts.map((fact) => `- ${render(fact)}`).join('\n'),
    ...(hasEarlier
      ? [`*${render(message('Earlier messages are left out. Show Earlier Messages adds some.'))}*`]
      : []),
    ...messages.map((one) => messageText(one, options)),
    '',
  ].join('\n\n');
}

function messageText(
  { role, created, completed, model, cost, error, parts }: MessageLine,
  options: TranscriptOptions,
): string {
  const { render, timeName } = options;
  const who = role === 'user' ? message('Prompt') : message('Answer');
  const facts = [
    timeName(created),
    ...(role === 'assistant' && model !== '' ? [escapeMarkdown(model)] : []),
    ...(cost > 0 ? [`$${cost.toFixed(4)}`] : []),
    ...(role === 'assistant' && completed === null && error === '' ? [render(message('not finished'))] : []),
  ];
  return [
    `## ${render(who)}`,
    `*${facts.join(' · ')}*`,
    ...parts.map((part) => partText(part, options)).filter((text) => text !== ''),
    ...(error === '' ? [] : [render(message('It ended with an error:')), fence(error)]),
  ].join('\n\n');
}

/** @returns empty for what is only opencode's own bookkeeping */
function partText(part: PartLine, { render }: TranscriptOptions): string {
  switch (part.type) {
    case 'text':
      if (part.text === '') return '';
      return part.isSynthetic
        ? folded(render(message('Added by opencode')), [fence(part.text)])
        : quote(part.text);
    case 'reasoning':
      return part.text === '' ? '' : folded(render(message('Reasoning')), [fence(part.text)]);
    case 'file':
      return render(message('Attached file: {0}', escapeMarkdown(part.filename)));
    case 'tool':
      return toolText(part, render);
    default:
      return '';
  }
}

function toolText(part: PartLine, render: typeof formatMessage): string {
  const { tool, status, title, input, output, error, diff, started, ended } = part;
  const seconds =
    started !== null && ended !== null && ended >= started
      ? `${((ended - started) / 1000).toFixed(1)} s`
      : '';
  const summary = [render(message('Tool {0}', asHtml(tool))), asHtml(status), seconds, asHtml(title)];
  return folded(summary.filter((word) => word !== '').join(' · '), [
    ...(input === '' ? [] : [fence(input, 'json')]),
    ...(diff === '' ? [] : [fence(diff, 'diff')]),
    ...(output === '' || diff !== '' ? [] : [fence(output)]),
    ...(error === '' ? [] : [fence(error)]),
  ]);
}

/** Within a summary Markdown knows HTML alone (CommonMark 0.31, HTML blocks): backslashes protect nothing there. */
function asHtml(value: string): string {
  return value.replace(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** @param summary HTML */
function folded(summary: string, blocks: readonly string[]): string {
  return ['<details>', `<summary>${summary}</summary>`, ...blocks, '</details>'].join('\n\n');
}

/** Every line stands for itself, as it was written. */
function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${indentation(line)}${escapeMarkdown(line.replaceAll('\t', '    ').trim())}`)
    .join('  \n');
}

/** Markdown would drop spaces at the beginning of a line. */
function indentation(line: string): string {
  return '&nbsp;'.repeat(Math.min(/^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0, 40));
}

/** A fence of more backticks than any run in the text: nothing in it can end it (CommonMark 0.31, fenced code blocks). */
function fence(text: string, language = 'text'): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${text}\n${marks}`;
}
