import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { SessionReader } from '../../../src/launch/sessionReader';
import { UserError } from '../../../src/sandbox/userError';
import { message } from '../../../src/sandbox/message';
import { listed, ReaderScripts, Script } from '../../support/readerScript';
import { makeSession, makeSums, sessionIdOf } from '../../support/sessions';

describe('the reader of sessions, seen from outside', () => {
  let scripts: ReaderScripts;
  let reader: SessionReader;
  beforeEach(() => {
    scripts = new ReaderScripts();
    reader = scripts.reader({ silenceMilliseconds: 20 });
  });
  afterEach(() => reader.close());

  const refreshing = (): ReturnType<ReaderScripts['refreshing']> => scripts.refreshing(reader);

  it('adds what it hears, and is done when all is summed', async () => {
    const { script, id, reading } = await refreshing();
    script.say({ id, sessions: [makeSession(1), makeSession(2)] });
    script.say({ id, listed });
    script.say({ id, sums: [makeSums(1)] });
    script.say({ id, done: true });
    await reading;
    assert.equal(reader.store.size, 2);
    assert.equal(reader.store.find(sessionIdOf(1))?.sums?.messages, 2);
    const again = await refreshing();
    assert.equal(again.script, script);
    again.script.say({ id: again.id, listed: { ...listed, gone: [sessionIdOf(2)] } });
    again.script.say({ id: again.id, done: true });
    await again.reading;
    assert.equal(reader.store.size, 1);
  });

  for (const [what, line] of Object.entries({
    'no JSON': '{',
    'a row that no session is': { id: 1, sessions: [{ ...makeSession(1), id: '../../etc/passwd' }] },
    'a number that no date is': { id: 1, sessions: [{ ...makeSession(1), title: 5 }] },
    'too much at once': { id: 1, sessions: Array.from({ length: 1001 }, (_, number) => makeSession(number)) },
  })) {
    it(`ends a script that says ${what}`, async () => {
      const { script, reading } = await refreshing();
      script.say(line);
      await reading;
      assert.equal(script.isClosed, true);
      assert.equal(reader.store.problem, 'malformed');
      assert.deepEqual(scripts.log, ['the reader of sessions said what it should not']);
    });
  }

  it('ends a script that says nothing for too long, and starts another the next time', async () => {
    const { script, reading } = await refreshing();
    await reading;
    assert.equal(script.isClosed, true);
    assert.equal(reader.store.problem, 'tooSlow');
    const next = await refreshing();
    assert.notEqual(next.script, script);
    next.script.say({ id: next.id, done: true });
    await next.reading;
  });

  it('says so when the script ends by itself', async () => {
    const { script, reading } = await refreshing();
    await script.close();
    await reading;
    assert.equal(reader.store.problem, 'lost');
  });

  it('says that the image has no opencode when there was nothing to run the script with', async () => {
    const { script, reading } = await refreshing();
    await script.close(127);
    await reading;
    assert.equal(reader.store.problem, 'noOpencode');
  });

  it('reads once more when something changes while it reads', async () => {
    const { script, id, reading } = await refreshing();
    const second = reader.refresh();
    const third = reader.refresh();
    script.say({ id, done: true });
    await once(script, 'order');
    script.say({ id: script.orders.at(-1)?.id, done: true });
    await Promise.all([reading, second, third]);
    assert.equal(script.orders.length, 2);
  });

  it('asks for what has changed while the sums of a long list are still coming', async () => {
    const { script, id, reading } = await refreshing();
    script.say({ id, sessions: [makeSession(1)] });
    script.say({ id, listed });
    script.say({ id, sums: [makeSums(1)] });
    const asked = once(script, 'order');
    const second = reader.refresh();
    await asked;
    const next = script.orders.at(-1)?.id;
    assert.notEqual(next, id);
    script.say({ id, done: true });
    script.say({ id: next, sessions: [makeSession(1, { title: 'renamed' })] });
    script.say({ id: next, listed });
    script.say({ id: next, done: true });
    await Promise.all([reading, second]);
    assert.equal(reader.store.find(sessionIdOf(1))?.title, 'renamed');
    assert.equal(script.orders.length, 2);
  });

  it('cleans texts, and shows no more than a line of a title', async () => {
    const { script, id, reading } = await refreshing();
    script.say({ id, sessions: [makeSession(1, { title: ' a\n\u202eb\u0007 ' })] });
    script.say({ id, done: true });
    await reading;
    assert.equal(reader.store.find(sessionIdOf(1))?.title, 'a \ufffdb\ufffd');
  });

  describe('that is closed while its sandbox starts', () => {
    const silenceMilliseconds = 20;
    let starts: { readonly script: Script; readonly go: () => void; readonly fail: (why: Error) => void }[];
    let starting: SessionReader;
    beforeEach(() => {
      starts = [];
      starting = new SessionReader({
        start: (onLine) =>
          new Promise((resolve, reject) => {
            const script = new Script(onLine);
            starts.push({ script, go: () => resolve(script), fail: reject });
          }),
        onChange: () => undefined,
        onLog: () => undefined,
        silenceMilliseconds,
      });
    });

    it('waits for nothing more, asks that sandbox nothing, and ends it once it is there', async () => {
      const reading = starting.refresh();
      const transcript = starting.transcript({ session: sessionIdOf(1), before: '', limit: 1 });
      const closing = starting.close();
      await reading;
      assert.equal(await transcript, undefined);
      starts[0]?.go();
      await closing;
      assert.equal(starts[0]?.script.isClosed, true);
      assert.deepEqual(starts[0]?.script.orders, []);
      await setTimeout(2 * silenceMilliseconds);
      assert.equal(starting.store.problem, undefined);
    });

    it('lets the next sandbox be, which has done nothing wrong', async () => {
      const reading = starting.refresh();
      const closing = starting.close();
      const transcript = starting.transcript({ session: sessionIdOf(1), before: '', limit: 1 });
      starts.forEach(({ go }) => go());
      await Promise.all([closing, reading]);
      const next = starts[1]?.script ?? assert.fail('no other sandbox was started');
      assert.equal(starts.length, 2);
      next.say({ id: next.orders[0]?.id, messages: [] });
      assert.deepEqual(await transcript, []);
      await setTimeout(2 * silenceMilliseconds);
      assert.equal(next.isClosed, false);
      assert.equal(starting.store.problem, undefined);
      await starting.close();
    });

    it('does not mind that that sandbox can’t be started', async () => {
      const reading = starting.refresh();
      const closing = starting.close();
      starts[0]?.fail(new Error('not now'));
      await Promise.all([closing, reading]);
    });

    it('starts no other one for what was still wanted', async () => {
      const readings = [starting.refresh(), starting.refresh()];
      const closing = starting.close();
      starts[0]?.go();
      await Promise.all([closing, ...readings]);
      assert.equal(starts.length, 1);
    });
  });

  it('starts no other sandbox for what was still wanted when it was closed', async () => {
    const { reading } = await refreshing();
    const second = reader.refresh();
    await reader.close();
    await Promise.all([reading, second]);
    assert.equal(scripts.started.length, 1);
  });

  it('passes on why no sandbox could be started', async () => {
    const failing = new SessionReader({
      start: () => Promise.reject(new UserError('image.missing', message('no image'))),
      onChange: () => undefined,
      onLog: () => undefined,
    });
    await assert.rejects(failing.refresh(), { code: 'image.missing' });
    await assert.rejects(failing.refresh(), { code: 'image.missing' });
  });
});
