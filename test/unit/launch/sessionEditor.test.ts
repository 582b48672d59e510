import assert from 'node:assert/strict';
import { editSessions, type SessionEdit } from '../../../src/launch/sessionEditor';
import { sessionIdOf } from '../../support/sessions';

type Answer = (id: number, say: (line: object | string) => void) => void;

/** Has orders answered as the script in the sandbox could. */
async function edit(
  edits: readonly SessionEdit[],
  answer: Answer,
): Promise<{ results: string[]; log: string[]; isClosed: boolean }> {
  const log: string[] = [];
  let isClosed = false;
  const outcome = editSessions(
    (onLine) =>
      Promise.resolve({
        send: (order: object) =>
          answer((order as { id: number }).id, (line) =>
            onLine(typeof line === 'string' ? line : JSON.stringify(line)),
          ),
        close: () => {
          isClosed = true;
          return Promise.resolve();
        },
        ended: new Promise<number | null>(() => undefined),
      }),
    edits,
    (line) => log.push(line),
  );
  const results = await outcome.catch((error: unknown) => {
    assert.equal(isClosed, true);
    throw error;
  });
  return { results, log, isClosed };
}

const remove = { remove: { session: sessionIdOf(1) } };

describe('editing sessions, seen from outside', () => {
  it('puts together what was exported, edit by edit', async () => {
    const { results, isClosed } = await edit([remove, remove], (id, say) => {
      say({ id, chunk: `a${id}` });
      say({ id, chunk: 'b' });
      say({ id, done: true });
    });
    assert.deepEqual(results, ['a0b', 'a1b']);
    assert.equal(isClosed, true);
  });

  it('stops at the first that fails', async () => {
    let orders = 0;
    const work = edit([remove, remove], (id, say) => {
      orders += 1;
      say({ id, failed: 'opencode answered 404' });
    });
    await assert.rejects(work, { code: 'sessions.notChanged' });
    assert.equal(orders, 1);
  });

  it('tells what this opencode can’t do from what it has failed to do', async () => {
    const answered = (line: object): Promise<unknown> => edit([remove], (id, say) => say({ id, ...line }));
    await assert.rejects(answered({ unsupported: true }), { code: 'sessions.unsupported' });
    for (const failed of [
      'opencode answered 404',
      'opencode answered 500',
      'TimeoutError: it took too long',
    ]) {
      await assert.rejects(answered({ failed }), { code: 'sessions.notChanged' });
    }
  });

  for (const line of ['no JSON', { id: 7, done: true }, { id: 0 }]) {
    it(`believes nothing of ${JSON.stringify(line)}`, async () => {
      await assert.rejects(
        edit([remove], (_id, say) => say(line)),
        { code: 'sessions.notChanged' },
      );
    });
  }
});
