import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { SessionReader } from '../../../src/launch/sessionReader';
import { listed, ReaderScripts, type Script } from '../../support/readerScript';
import { makeSession, makeSums, sessionIdOf } from '../../support/sessions';

describe('the reader of sessions, and a script that keeps to no measure', () => {
  let scripts: ReaderScripts;
  let reader: SessionReader;
  beforeEach(() => {
    scripts = new ReaderScripts();
    reader = scripts.reader({ silenceMilliseconds: 5000 });
  });
  afterEach(() => reader.close());

  it('ends a script that says more to one order than anybody has sessions', async () => {
    const { script, id, reading } = await scripts.refreshing(reader);
    const filling = 'x'.repeat(1024 * 1024);
    for (let megabytes = 0; megabytes < 64; megabytes += 1) script.say({ id, sums: [], filling });
    await reading;
    assert.equal(script.isClosed, true);
    assert.equal(reader.store.problem, 'tooMuch');
  });

  /** Says what nobody has asked for until it is ended, up to twice what is borne. @returns how many characters it could say */
  function sayUnasked(script: Script): number {
    const line = JSON.stringify({ id: 999, sums: [], filling: 'x'.repeat(10_000) });
    let characters = 0;
    while (reader.store.problem === undefined && characters < 2 * 1024 * 1024) {
      script.say(line);
      characters += line.length;
    }
    return characters;
  }

  it('ends a script that says much that nobody has asked for, while it reads', async () => {
    const { script, reading } = await scripts.refreshing(reader);
    assert.ok(sayUnasked(script) < 1.1 * 1024 * 1024);
    await reading;
    assert.equal(reader.store.problem, 'tooMuch');
  });

  it('ends a script that says much that nobody has asked for, when it has nothing to do', async () => {
    const { script, id, reading } = await scripts.refreshing(reader);
    script.say({ id, done: true });
    await reading;
    assert.ok(sayUnasked(script) < 1.1 * 1024 * 1024);
    assert.equal(reader.store.problem, 'tooMuch');
    const next = await scripts.refreshing(reader);
    assert.notEqual(next.script, script);
    next.script.say({ id: 999, sums: [] });
    next.script.say({ id: next.id, listed });
    next.script.say({ id: next.id, done: true });
    await next.reading;
    assert.equal(reader.store.problem, undefined);
  });

  describe('that is never silent for long', () => {
    /** Says something again and again until it is closed. */
    async function sayOnAndOn(script: Script, line: object): Promise<void> {
      for (; !script.isClosed; await setTimeout(5)) script.say(line);
    }

    for (const [what, line] of Object.entries({
      'no sums': { sums: [] },
      'no sessions': { sessions: [] },
      'that the list is there': { listed },
    })) {
      it(`ends a script that says ${what} on and on`, async () => {
        reader = scripts.reader({ silenceMilliseconds: 5000, patience: { answer: 60, sums: 60 } });
        const { script, id, reading } = await scripts.refreshing(reader);
        const saying = sayOnAndOn(script, { id, ...line });
        await reading;
        await saying;
        assert.equal(reader.store.problem, 'tooSlow');
      });
    }

    it('ends a script that gives no transcript while it has enough to say of the list', async () => {
      reader = scripts.reader({ silenceMilliseconds: 5000, patience: { answer: 60, sums: 60_000 } });
      const { script, id, reading } = await scripts.refreshing(reader);
      script.say({ id, listed });
      const transcript = reader.transcript({ session: sessionIdOf(1), before: '', limit: 1 });
      const saying = sayOnAndOn(script, { id, sums: [] });
      assert.equal(await transcript, undefined);
      await Promise.all([reading, saying]);
      assert.equal(reader.store.problem, 'tooSlow');
    });

    it('gives the sums a longer time than the list', async () => {
      reader = scripts.reader({ silenceMilliseconds: 5000, patience: { answer: 60, sums: 60_000 } });
      const { script, id, reading } = await scripts.refreshing(reader);
      script.say({ id, sessions: [makeSession(1)] });
      script.say({ id, listed });
      await setTimeout(100);
      script.say({ id, sums: [makeSums(1)] });
      script.say({ id, done: true });
      await reading;
      assert.equal(reader.store.problem, undefined);
      assert.equal(reader.store.find(sessionIdOf(1))?.sums?.messages, 2);
    });
  });
});
