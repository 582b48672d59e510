import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { editSessions, type SessionEdit } from '../../../src/launch/sessionEditor';
import { sessionIdOf } from '../../support/sessions';

type Answer = (id: number, say: (line: object | string) => void) => void;

/**
 * Has orders answered as the script in the sandbox could; closed, it ends.
 * @param log what goes wrong is added to it
 */
async function edit(
  edits: readonly SessionEdit[],
  answer: Answer,
  log: string[] = [],
): Promise<{ results: string[]; isClosed: boolean }> {
  let isClosed = false;
  let end: (exitCode: number | null) => void = () => undefined;
  const ended = new Promise<number | null>((resolve) => (end = resolve));
  const outcome = editSessions(
    (onLine) =>
      Promise.resolve({
        send: (order: object) =>
          answer((order as { id: number }).id, (line) =>
            onLine(typeof line === 'string' ? line : JSON.stringify(line)),
          ),
        close: () => {
          isClosed = true;
          end(0);
          return Promise.resolve();
        },
        ended,
      }),
    edits,
    (line) => log.push(line),
  );
  const results = await outcome.catch((error: unknown) => {
    assert.equal(isClosed, true);
    throw error;
  });
  return { results, isClosed };
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

  describe('says in the log', () => {
    let log: string[];
    beforeEach(() => {
      log = [];
      mock.timers.enable({ apis: ['setTimeout'] });
    });
    afterEach(() => mock.timers.reset());

    /** Until everything has come that an edit may still wait for. */
    async function later(): Promise<void> {
      await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(10 * 60_000);
    }

    it('nothing of what has succeeded, whatever comes after it', async () => {
      await edit(
        [remove, remove],
        (id, say) => {
          say({ id, done: true });
          say({ id, failed: 'too late' });
          say('no JSON');
        },
        log,
      );
      await later();
      assert.deepEqual(log, []);
    });

    it('once why something has failed', async () => {
      const work = edit([remove], (id, say) => [1, 2].forEach(() => say({ id, failed: 'why' })), log);
      await assert.rejects(work, { code: 'sessions.notChanged' });
      await later();
      assert.deepEqual(log, ['a session was not changed: "why"']);
    });

    it('nothing of what this opencode can’t do, which the person is told', async () => {
      const work = edit([remove], (id, say) => say({ id, unsupported: true }), log);
      await assert.rejects(work, { code: 'sessions.unsupported' });
      await later();
      assert.deepEqual(log, []);
    });

    it('that it took too long, when it did', async () => {
      const work = edit([remove], () => undefined, log);
      await Promise.resolve();
      mock.timers.tick(180_000);
      await assert.rejects(work, { code: 'sessions.notChanged' });
      await later();
      assert.deepEqual(log, ['a session was not changed: it took too long']);
    });
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
