import assert from 'node:assert/strict';
import { formatMessage } from '../../../../src/sandbox/message';
import { momentText, sortMoments } from '../../../../src/ui/review/reviewTexts';

describe('the moments that can be reviewed', () => {
  const runs = [
    { id: 'a', kind: 'agent' },
    { id: 'b', kind: 'task' },
    { id: 's', kind: 'shell' },
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

  const sorted = (...moments: readonly string[]) => {
    const snapshots = moments.map((moment) => {
      const [id = '', reason = 'start'] = moment.split(' ');
      return { id, reason: reason as 'start' | 'revert' };
    });
    const { lastOfAgent, others } = sortMoments(snapshots, runs);
    return [lastOfAgent?.id, ...others.map(({ id }) => id)];
  };

  it('begin with the last start of an agent or its task, whatever was started since', () => {
    assert.deepEqual(sorted('s', 'gone', 'b', 'a'), ['b', 's', 'gone', 'a']);
    assert.deepEqual(sorted('a', 's'), ['a', 's']);
  });

  it('stay as they are where no agent was started', () => {
    assert.deepEqual(sorted('s', 'gone'), [undefined, 's', 'gone']);
    // what was there before a revert is no start, whatever its id is
    assert.deepEqual(sorted('s', 'a revert'), [undefined, 's', 'a']);
  });
});
