import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { HomeSessions } from '../../../src/launch/homeSessions';
import type { ScriptProcess } from '../../../src/launch/scriptProcess';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { makeSession } from '../../support/sessions';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

describe('the sessions of a home that somebody looks at', () => {
  const root = useTemporaryFolder();
  let home: string | undefined;
  let looks: number;
  let sessions: HomeSessions;
  let readers: number;
  let isFailing: boolean;
  let closed: number;
  /** what has to be over before a reader has ended, or a home was found */
  let closing: Promise<void>;
  let finding: Promise<void>;
  beforeEach(() => {
    home = undefined;
    looks = 0;
    readers = 0;
    isFailing = false;
    closed = 0;
    closing = Promise.resolve();
    finding = Promise.resolve();
    sessions = new HomeSessions({
      findHome: async () => {
        looks += 1;
        const found = isFailing ? Promise.reject(new Error('not now')) : Promise.resolve(home);
        // said of the home as it was when it was asked for
        await Promise.allSettled([found, finding]);
        return found;
      },
      specify: () => Promise.resolve({ home: { kind: 'folder', folder: {} } } as SandboxSpecification),
      startScript: (_sandbox, _script, onLine) => Promise.resolve(reader(onLine)),
      onChange: () => undefined,
      onLog: () => undefined,
      pollMilliseconds: 5,
    });
  });
  afterEach(() => sessions.dispose());

  /** Tells of one session, and of none twice, as the reader in its sandbox does. */
  function reader(onLine: (line: string) => void): ScriptProcess {
    readers += 1;
    const number = readers;
    let hasTold = false;
    const send = ({ id }: { readonly id: number }): void => {
      onLine(JSON.stringify({ id, sessions: hasTold ? [] : [makeSession(number)] }));
      hasTold = true;
      onLine(JSON.stringify({ id, done: true }));
    };
    const close = (): Promise<void> => {
      closed += 1;
      return closing;
    };
    const never = new Promise<void>(() => undefined);
    return { send, close, ended: never } as unknown as ScriptProcess;
  }

  it('are read once there is a home, also when it is made later', async () => {
    sessions.show();
    await waitUntil('it is known that there is none', () => sessions.isEmpty === true && looks > 2);
    assert.equal(sessions.store.size, 0);
    home = join(root(), 'agent-home');
    mkdirSync(home);
    await waitUntil('they are read', () => sessions.store.size === 1);
    assert.equal(sessions.isEmpty, false);
  });

  it('are those of the home that is there now, not of one that was in its place', async () => {
    home = join(root(), 'replaced');
    mkdirSync(home);
    sessions.show();
    await waitUntil('they are read', () => sessions.store.size === 1);
    assert.equal(sessions.store.find(makeSession(1).id)?.id, makeSession(1).id);
    renameSync(home, `${home}-before`);
    mkdirSync(home);
    await sessions.refresh();
    assert.equal(readers, 2);
    assert.deepEqual(sessions.store.find(makeSession(1).id), undefined);
    assert.equal(sessions.store.size, 1);
  });

  for (const [what, lose] of [
    ['a home could not be looked for once', () => (isFailing = true)],
    ['a home was gone for a moment', () => (home = undefined)],
  ] as const) {
    it(`are all told again when ${what}`, async () => {
      const there = join(root(), 'lost');
      mkdirSync(there);
      home = there;
      sessions.show();
      await waitUntil('they are read', () => sessions.store.size === 1);
      lose();
      await sessions.refresh();
      assert.equal(sessions.store.size, 0);
      isFailing = false;
      home = there;
      await sessions.refresh();
      assert.equal(sessions.store.size, 1);
      rmdirSync(there);
    });
  }

  it('stay when they were told while another reader took its time to end', async () => {
    home = join(root(), 'slow');
    mkdirSync(home);
    sessions.show();
    await waitUntil('they are read', () => sessions.store.size === 1);
    let end = (): void => undefined;
    closing = new Promise((resolve) => (end = resolve));
    const there = home;
    home = undefined;
    const slow = sessions.refresh();
    await waitUntil('the reader is to end', () => closed === 1);
    home = there;
    await sessions.refresh();
    assert.equal(sessions.store.size, 1);
    end();
    await slow;
    assert.equal(readers, 2);
    assert.equal(sessions.store.size, 1);
    assert.equal(sessions.isEmpty, false);
    // it is still known which home they are of
    renameSync(there, `${there}-before`);
    mkdirSync(there);
    await sessions.refresh();
    assert.equal(readers, 3);
  });

  it('are those that the last look finds, also when one before it took longer', async () => {
    home = join(root(), 'overtaken');
    let find = (): void => undefined;
    finding = new Promise((resolve) => (find = resolve));
    isFailing = true;
    const failing = sessions.refresh();
    isFailing = false;
    const there = home;
    home = undefined;
    const without = sessions.refresh();
    finding = Promise.resolve();
    home = there;
    mkdirSync(home);
    await sessions.refresh();
    find();
    await Promise.all([failing, without]);
    assert.equal(sessions.error, undefined);
    assert.equal(sessions.isEmpty, false);
    assert.equal(sessions.store.size, 1);
    assert.deepEqual([readers, closed], [1, 0]);
  });

  it('are read, when a look has ended that another one has overtaken', async () => {
    home = join(root(), 'both');
    mkdirSync(home);
    const first = sessions.refresh();
    const second = sessions.refresh();
    await first;
    assert.equal(sessions.store.size, 1);
    await second;
  });

  it('are not read any more once nobody will look again, also by what was begun before', async () => {
    home = join(root(), 'disposed');
    mkdirSync(home);
    let find = (): void => undefined;
    finding = new Promise((resolve) => (find = resolve));
    sessions.show();
    const look = sessions.refresh();
    await sessions.dispose();
    find();
    await look;
    await sessions.refresh();
    assert.equal(await sessions.transcript({ session: makeSession(1).id, before: '', limit: 1 }), undefined);
    assert.equal(readers, 0);
  });

  it('keep no reader that was started while nobody looks', async () => {
    home = join(root(), 'hidden');
    mkdirSync(home);
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      sessions.hide();
      mock.timers.tick(30_000);
      await sessions.refresh();
      assert.deepEqual([readers, closed], [1, 0]);
      mock.timers.tick(30_000);
      assert.equal(closed, 0);
      await Promise.resolve();
      assert.equal(closed, 1);
    } finally {
      mock.timers.reset();
    }
  });

  it('are not looked for while nobody looks', async () => {
    sessions.show();
    await waitUntil('it is looked for', () => looks > 2);
    sessions.hide();
    const before = looks;
    sessions.show();
    sessions.hide();
    await waitUntil('the last look is over', () => looks > before);
    home = join(root(), 'agent-home');
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(looks <= before + 1, `${looks - before} more looks`);
  });
});
