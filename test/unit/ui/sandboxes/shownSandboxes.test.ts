import assert from 'node:assert/strict';
import { message } from '../../../../src/sandbox/message';
import { ShownSandboxes } from '../../../../src/ui/sandboxes/shownSandboxes';
import { summary } from '../../../support/fakeConnection';

describe('the sandboxes that are shown', () => {
  it('come with what is to be said of each, and what it alone may reach', () => {
    const status = { phase: 'running' } as const;
    const [one, other] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'].map((id) => ({
      socket: `/run/${id}`,
      summary: { ...summary, id },
      status,
    }));
    assert(one && other);
    const shown = new ShownSandboxes(
      { list: () => [one, other] },
      { onlyOnce: ({ id }) => (id === other.summary.id ? ['example.org'] : []) },
    );
    const notes = [message('Git is not protected.')];
    shown.note(one.summary.id, notes);
    assert.deepEqual(shown.list(), [
      { ...one, notes, allowedOnce: [] },
      { ...other, notes: undefined, allowedOnce: ['example.org'] },
    ]);
  });
});
