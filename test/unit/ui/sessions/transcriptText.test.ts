import assert from 'node:assert/strict';
import type { MessageLine, PartLine } from '../../../../src/opencode/sessions/lines';
import { formatMessage } from '../../../../src/sandbox/message';
import { transcriptText } from '../../../../src/ui/sessions/transcriptText';
import { makeSession } from '../../../support/sessions';

const part: PartLine = {
  type: 'text',
  text: '',
  isSynthetic: false,
  tool: '',
  status: '',
  title: '',
  input: '',
  output: '',
  error: '',
  diff: '',
  started: null,
  ended: null,
  filename: '',
};

function textOf(
  parts: readonly Partial<PartLine>[],
  changes: Partial<MessageLine> = {},
  hasEarlier = false,
): string {
  const message: MessageLine = {
    id: 'msg_1',
    role: 'assistant',
    created: 1,
    completed: 2,
    model: 'site/big',
    cost: 0.5,
    error: '',
    parts: parts.map((one) => ({ ...part, ...one })),
    ...changes,
  };
  const options = { render: formatMessage, timeName: (time: number) => `time ${time}`, hasEarlier };
  return transcriptText(makeSession(1), [message], options);
}

describe('a transcript', () => {
  it('quotes prompts and answers line by line', () => {
    const text = textOf([{ text: 'first\n  second' }], { role: 'user' });
    assert.match(text, /## Prompt\n\n\*time 1 · \$0.5000\*\n\n> first {2}\n> &nbsp;&nbsp;second/);
  });

  it('folds what the agent did', () => {
    const text = textOf([
      {
        type: 'tool',
        tool: 'bash',
        status: 'completed',
        title: 'ls',
        input: '{"command":"ls"}',
        output: 'a\nb',
        started: 1000,
        ended: 2500,
      },
    ]);
    assert.match(
      text,
      /<details>\n\n<summary>Tool bash · completed · 1.5 s · ls<\/summary>\n\n```json\n\{"command":"ls"\}\n```\n\n```text\na\nb\n```\n\n<\/details>/,
    );
  });

  it('lets nothing in it be a link, an image, HTML, a heading or the end of a block', () => {
    const evil = [
      '[click](command:workbench.action.terminal.new)',
      '![x](https://example.org/x.png)',
      '<img src=https://example.org/x.png>',
      '# Answer',
      '</details>',
      '```',
      '<script>alert(1)</script>',
    ].join('\n');
    const shown = textOf(
      [
        { text: evil },
        { type: 'reasoning', text: evil },
        { type: 'tool', tool: evil, title: evil, input: evil, output: evil, error: evil },
        { type: 'file', filename: evil },
      ],
      { error: evil, model: evil },
    );
    // what stands behind a backslash is nothing but itself
    const outside = withoutFences(shown).replace(/\\[!-/:-@[-`{-~]/g, '');
    const summaries = [...shown.matchAll(/<summary>(.*)<\/summary>/g)].map(([, summary]) => summary);
    assert.equal(summaries.length, 2);
    summaries.forEach((summary) => assert.doesNotMatch(summary ?? '', /[<>\\]/));
    assert.doesNotMatch(outside, /\]\(|<img|<script|!\[/);
    assert.equal([...outside.matchAll(/^#+ .*$/gm)].length, 2);
    assert.equal([...outside.matchAll(/<\/details>/g)].length, [...outside.matchAll(/<details>/g)].length);
  });

  it('says that there is more, and that an answer is not finished', () => {
    assert.match(textOf([], { completed: null }, true), /Earlier messages are left out/);
    assert.match(textOf([], { completed: null }), /not finished/);
  });
});

/** The text without its fenced blocks, found as CommonMark does: a fence ends with as many marks, alone on a line. */
function withoutFences(text: string): string {
  const kept: string[] = [];
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const marks = /^(`{3,})/.exec(line)?.[1];
    if (open === undefined) {
      if (marks === undefined) kept.push(line);
      else open = marks;
    } else if (marks !== undefined && marks.length >= open.length && line === marks) {
      open = undefined;
    }
  }
  assert.equal(open, undefined);
  return kept.join('\n');
}
