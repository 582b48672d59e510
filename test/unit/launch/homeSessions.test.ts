import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
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
  beforeEach(() => {
    home = undefined;
    looks = 0;
    readers = 0;
    isFailing = false;
    sessions = new HomeSessions({
      findHome: () => {
        looks += 1;
        return isFailing ? Promise.reject(new Error('not now')) : Promise.resolve(home);
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
    const never = new Promise<void>(() => undefined);
    return { send, close: () => Promise.resolve(), ended: never } as unknown as ScriptProcess;
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
