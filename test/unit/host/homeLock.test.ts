import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  homeUsePath,
  noteHomeUse,
  ownHomeUse,
  readHomeUses,
  type HomeUser,
} from '../../../src/host/homeFolder';
import { homeKey } from '../../../src/host/homeFolderPlace';
import { homeLockPath, readHomeLock, releaseHomeLock, takeHomeLock } from '../../../src/host/homeLock';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const idOf = (number: number): string => String(number).padStart(16, '0');

describe('the lock on an agent’s home', () => {
  const folder = useTemporaryFolder();
  const own = (number = 1): Promise<HomeUser> => ownHomeUse(idOf(number));
  const left = (lock: object | string): void =>
    writeFileSync(homeLockPath(folder()), typeof lock === 'string' ? lock : JSON.stringify(lock));
  const deadPid = (): number => spawnSync('/bin/true').pid;

  it('is taken by one of many', async () => {
    const users = await Promise.all(Array.from({ length: 20 }, (_, index) => own(index)));
    const holders = await Promise.all(users.map((user) => takeHomeLock(folder(), user)));
    const winner = users.filter((_, index) => holders[index] === undefined);
    assert.equal(winner.length, 1);
    assert.deepEqual(
      new Set(holders.filter(Boolean).map((holder) => holder?.sandboxId)),
      new Set([winner[0]?.sandboxId]),
    );
    assert.deepEqual(await readHomeLock(folder()), winner[0]);
  });

  it('is given back by its holder alone', async () => {
    const [one, other] = [await own(1), await own(2)];
    await takeHomeLock(folder(), one);
    await releaseHomeLock(folder(), other);
    assert.equal((await takeHomeLock(folder(), other))?.sandboxId, one.sandboxId);
    await releaseHomeLock(folder(), one);
    assert.equal(await takeHomeLock(folder(), other), undefined);
  });

  it('is taken over from a process of this computer that has ended, by one of many', async () => {
    left({ ...(await own()), pid: deadPid(), startTime: '1' });
    const users = await Promise.all(Array.from({ length: 20 }, (_, index) => own(index)));
    const holders = await Promise.all(users.map((user) => takeHomeLock(folder(), user)));
    assert.equal(holders.filter((holder) => holder === undefined).length, 1);
    assert.deepEqual(readdirSync(folder()), ['lock.json']);
  });

  it('is taken over from before this computer was started', async () => {
    const user = { machineId: '', ...(await own()) };
    left({ ...user, bootId: 'another', pid: process.pid });
    const taken = await takeHomeLock(folder(), await own(2));
    // without an identity of its own a computer is like any other of its name
    assert.equal(taken === undefined, user.machineId !== '');
  });

  for (const [what, change] of [
    ['another computer', { hostName: 'another' }],
    ['another computer with our machine-id', { hostName: 'another', bootId: 'another' }],
    ['a computer of our name that says nothing else of itself', { bootId: 'another', machineId: undefined }],
    ['another computer of our name', { bootId: 'another', machineId: 'another' }],
    ['a container on this computer', { hostName: 'container' }],
  ] as const) {
    it(`is never taken from ${what}`, async () => {
      left({ ...(await own()), pid: deadPid(), startTime: '1', ...change });
      const holder = await takeHomeLock(folder(), await own(2));
      assert.equal(holder?.sandboxId, idOf(1));
    });
  }

  it('is not taken while it is being written, and is when that was never finished', async () => {
    left('{"hostName":');
    const { mtimeMs } = { mtimeMs: Date.now() };
    const taking = takeHomeLock(folder(), await own());
    const longAgo = mtimeMs / 1000 - 60;
    assert.equal(
      await Promise.race([taking, new Promise((resolve) => setTimeout(resolve, 200, 'waits'))]),
      'waits',
    );
    utimesSync(homeLockPath(folder()), longAgo, longAgo);
    assert.equal(await taking, undefined);
  });
});

describe('the note of a use', () => {
  const folder = useTemporaryFolder();

  it('is made at once and whole', async () => {
    const user = await ownHomeUse(idOf(1));
    // with a reader in between it would be seen so
    writeFileSync(homeUsePath(folder(), idOf(1)), '{"hostName":');
    assert.deepEqual(await readHomeUses(folder()), { live: [], badEnds: [idOf(1)] });
    await noteHomeUse(folder(), user);
    assert.deepEqual(await readHomeUses(folder()), { live: [user], badEnds: [] });
    assert.deepEqual(readdirSync(folder()), [`${idOf(1)}.use`]);
  });
});

describe('homeKey', () => {
  const identity = { device: '1', inode: '77', size: '1', changedTime: '1' };
  const key = (path: string, change = {}): string => homeKey({ path, identity: { ...identity, ...change } });

  it('is the same where a home is mounted elsewhere, and another for another home', () => {
    assert.equal(
      key('/home/me/project/agent-home'),
      key('/net/server/home/me/project/agent-home', { device: '9' }),
    );
    assert.notEqual(key('/home/me/project/agent-home'), key('/home/me/project/agent-home', { inode: '78' }));
    assert.notEqual(key('/home/me/project/agent-home'), key('/home/me/other/agent-home'));
    assert.notEqual(key(join('/a', 'b')), key(join('/a', 'c')));
  });
});
