import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkspaceGuardOptions } from '../../../src/guard/workspaceGuard';
import { GuardUnderTest } from '../../support/guardUnderTest';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('two windows on one folder', () => {
  const folder = useTemporaryFolder();
  const storage = (): string => join(folder(), 'storage');
  const windows: GuardUnderTest[] = [];
  afterEach(() => {
    mock.restoreAll();
    for (const { guard, errors } of windows.splice(0)) {
      guard.dispose();
      assert.deepEqual(errors, []);
    }
  });

  async function open(changes: Partial<WorkspaceGuardOptions> = {}): Promise<GuardUnderTest> {
    const world = new GuardUnderTest(join(folder(), 'workspace'), storage(), changes);
    await world.open();
    await world.guard.restore();
    windows.push(world);
    return world;
  }

  /** What a window finds that is opened afterwards. */
  async function foundLater(): Promise<string[]> {
    return (await open()).found();
  }

  it('the one that only follows compares with what the other one knew', async () => {
    const starter = await open();
    const follower = await open();
    await starter.guard.begin();
    writeFileSync(starter.at('Makefile'), 'all: evil');
    await follower.guard.follow();
    assert.deepEqual(follower.found(), ['new build Makefile']);
    await starter.finds('new build Makefile');
  });

  it('the one that only follows compares with nothing where nothing is known', async () => {
    const follower = await open();
    writeFileSync(follower.at('Makefile'), 'all: evil');
    await follower.guard.follow();
    assert.deepEqual(follower.found(), ['new build Makefile']);
  });

  it('one that starts a second sandbox learns nothing of what the first one did', async () => {
    const one = await open();
    const other = await open();
    await one.guard.begin();
    writeFileSync(one.at('Makefile'), 'all: evil');
    await other.guard.begin();
    assert.deepEqual(other.found(), ['new build Makefile']);
  });

  it('one that begins waits until the other one has begun', async () => {
    const one = await open();
    const other = await open();
    const { store } = one.guard;
    const keepAll = store.keepAll.bind(store);
    const gate = new EventEmitter();
    const isLearnt = once(gate, 'learnt');
    const mayGoOn = once(gate, 'goOn');
    mock.method(store, 'keepAll', async (...values: Parameters<typeof keepAll>) => {
      gate.emit('learnt');
      await mayGoOn;
      await keepAll(...values);
    });
    const beginning = one.guard.begin();
    await isLearnt;
    writeFileSync(one.at('Makefile'), 'all: evil');
    const beginningToo = other.guard.begin();
    // what did not wait is through meanwhile
    await Promise.race([beginningToo, delay(300)]);
    gate.emit('goOn');
    await Promise.all([beginning, beginningToo]);
    assert.deepEqual(other.found(), ['new build Makefile']);
  });

  it('what one has found or answered stays when the other one writes', async () => {
    const one = await open();
    const other = await open();
    await one.guard.begin();
    await other.guard.follow();
    const all = ['new build Makefile', 'new shell .envrc', 'new tests conftest.py'];
    for (const name of ['Makefile', '.envrc', 'conftest.py']) writeFileSync(one.at(name), 'x');
    await one.finds(...all);
    await other.finds(...all);
    await one.guard.allow('Makefile');
    await other.guard.allow('.envrc');
    await one.guard.settle();
    assert.deepEqual(one.found(), ['new tests conftest.py']);
    one.guard.dispose();
    other.guard.dispose();
    assert.deepEqual(await foundLater(), ['new tests conftest.py']);
  });

  it('one that does not watch leaves it noted that a sandbox runs', async () => {
    const idle = await open();
    const one = await open();
    await one.guard.begin();
    await idle.guard.allow('nothing');
    await idle.guard.lookAgain();
    writeFileSync(one.at('.envrc'), 'x');
    await idle.guard.lookAgain();
    assert.equal((await one.guard.store.read())?.isUnsettled, true);
  });

  it('does not seem to watch when the first look failed', async () => {
    const world = await open();
    mock.method(world.guard.store, 'keepAll', () => Promise.reject(new Error('no space')));
    await assert.rejects(world.guard.begin(), /no space/);
    assert.equal(world.guard.isWatching, false);
    mock.restoreAll();
    await world.guard.begin();
    assert.equal(world.guard.isWatching, true);
  });

  it('takes a state that can’t be read not as nothing: all that is notable is found, and told', async () => {
    const before = await open();
    writeFileSync(before.at('Makefile'), 'all: evil');
    await before.guard.begin();
    before.guard.dispose();
    const [name = ''] = readdirSync(join(storage(), 'guard'));
    const state = join(storage(), 'guard', name, 'state.json');
    assert.ok(existsSync(state));
    writeFileSync(state, '{"schema": "of another version"}');
    const world = new GuardUnderTest(before.workspace, storage());
    await world.open();
    await world.guard.begin();
    assert.deepEqual(world.found(), ['new build Makefile']);
    assert.match(String(world.errors.splice(0)), /can’t be read/);
    world.guard.dispose();
    // it is a folder: neither missing nor to be read
    rmSync(state);
    mkdirSync(state);
    await assert.rejects((await world.open()).store.read());
    world.guard.dispose();
  });
});
