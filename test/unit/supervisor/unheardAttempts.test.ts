import assert from 'node:assert/strict';
import { UnheardAttempts } from '../../../src/supervisor/unheardAttempts';
import { allowedEntry, entryOf } from '../../support/networkEntries';

describe('attempts that no window could hear of', () => {
  it('are told once: each denied host, with its latest attempt', () => {
    const unheard = new UnheardAttempts();
    unheard.note([entryOf({ id: 1, host: 'a.example' }), allowedEntry({ id: 2 })]);
    unheard.note([entryOf({ id: 3, host: 'b.example' }), entryOf({ id: 4, host: 'a.example' })]);
    assert.deepEqual(
      unheard.take().map(({ id, host }) => [id, host]),
      [
        [4, 'a.example'],
        [3, 'b.example'],
      ],
    );
    assert.deepEqual(unheard.take(), []);
  });

  it('are of at most 100 hosts, however many names an agent makes up', () => {
    const unheard = new UnheardAttempts();
    for (let id = 1; id <= 5000; id += 1) {
      unheard.note([entryOf({ id, host: `${id}.example` })]);
    }
    assert.equal(unheard.take().length, 100);
  });
});
