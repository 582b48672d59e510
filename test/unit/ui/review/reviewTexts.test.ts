import assert from 'node:assert/strict';
import { formatMessage } from '../../../../src/sandbox/message';
import { momentText } from '../../../../src/ui/review/reviewTexts';

describe('the moments that can be reviewed', () => {
  const runs = [
    { id: 'a', kind: 'agent' },
    { id: 'b', kind: 'task' },
  ] as const;
  const text = (id: string, reason: 'start' | 'revert'): string =>
    formatMessage(momentText({ id, reason }, runs));

  it('are told apart by what was started then', () => {
    assert.equal(text('a', 'start'), 'Start of an agent');
    assert.equal(text('b', 'start'), 'Start of a task');
    assert.equal(text('c', 'revert'), 'Before a revert');
  });

  it('say what is known of a run without a record', () => {
    assert.equal(text('gone', 'start'), 'Start of a sandbox');
  });
});
