import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify } from '../../../src/host/fileIdentity';
import { homeUsePath, ownHomeUse, readHomeUses } from '../../../src/host/homeFolder';
import { makeHomeFolder } from '../../../src/host/homeFolderPlace';
import { readHomeLock, releaseHomeLock, takeHomeLock } from '../../../src/host/homeLock';
import { withHomeToWrite } from '../../../src/launch/homeWriting';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import type { UserError } from '../../../src/sandbox/userError';
import { HomeUse } from '../../../src/supervisor/homeUse';
import { noteSettled } from '../../../src/supervisor/homeSettling';
import type { SandboxEnd } from '../../../src/supervisor/protocol';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

describe('the use of an agent’s home', () => {
  const root = useTemporaryFolder();
  let homeFolder: string;
  let number = 0;
  beforeEach(async () => {
    const path = join(root(), 'agent-home');
    mkdirSync(join(path, '.local/share/opencode'), { recursive: true });
    homeFolder = await makeHomeFolder(join(root(), 'storage'), { path, identity: await identify(path) });
    writeFileSync(database(), '');
    await noteSettled(homeFolder, identity);
  });

  const identity = { device: '1', inode: '2', size: '3', changedTime: '4' };
  const database = (): string => join(root(), 'agent-home/.local/share/opencode/opencode.db');

  async function specification(kind: 'agent' | 'shell' = 'agent'): Promise<SandboxSpecification> {
    number += 1;
    const path = join(root(), 'agent-home');
    const home = { kind: 'folder', folder: { path, identity: await identify(path) } };
    return {
      id: String(number).padStart(16, '0'),
      kind,
      home,
      homeFolder,
      image: { path: '/image', identity },
    } as SandboxSpecification;
  }

  const network = { kindOf: (): Promise<'network'> => Promise.resolve('network') };
  const codeOf = (code: string) => (error: unknown) => (error as UserError).code === code;
  const ends: [name: string, end: SandboxEnd | undefined, isGood: boolean][] = [
    ['was never there', undefined, true],
    ['was refused', { reason: 'refused' }, true],
    ['ended by itself', { reason: 'exited', exitCode: 1 }, true],
    ['was stopped and put in order', { reason: 'stopped', exitCode: 0 }, true],
    ['was killed', { reason: 'stopped', exitCode: 137 }, false],
    ['was lost', { reason: 'failed' }, false],
  ];
  for (const [name, end, isGood] of ends) {
    it(`is ${isGood ? 'in order' : 'not in order'} when the program ${name}`, async () => {
      const use = await HomeUse.begin(await specification());
      assert.equal((await readHomeUses(homeFolder)).live.length, 1);
      await use.end(end);
      assert.equal(
        readdirSync(homeFolder).some((entry) => entry.endsWith('.use')),
        !isGood,
      );
    });
  }

  it('is in order when a shell was killed that never touched the database', async () => {
    utimesSync(database(), 1000, 1000);
    const use = await HomeUse.begin(await specification('shell'));
    await use.end({ reason: 'stopped', exitCode: 137 });
    assert.deepEqual(
      readdirSync(homeFolder).filter((entry) => entry.endsWith('.use')),
      [],
    );
    const other = await HomeUse.begin(await specification('shell'));
    writeFileSync(database(), 'changed');
    await other.end({ reason: 'stopped', exitCode: 137 });
    assert.equal(readdirSync(homeFolder).filter((entry) => entry.endsWith('.use')).length, 1);
  });

  it('is shared on a disk of this computer, and alone where computers share it', async () => {
    const uses = [await HomeUse.begin(await specification()), await HomeUse.begin(await specification())];
    await Promise.all(uses.map((use) => use.end(undefined)));
    const first = await HomeUse.begin(await specification(), network);
    await assert.rejects(HomeUse.begin(await specification(), network), codeOf('home.locked'));
    await first.end(undefined);
    await (await HomeUse.begin(await specification(), network)).end(undefined);
    assert.deepEqual(readdirSync(homeFolder).sort(), ['backups', 'settled.json']);
  });

  it('keeps others waiting until opencode has made its tables', async () => {
    rmSync(database());
    const first = await HomeUse.begin(await specification());
    first.follow({ phase: 'running' });
    let hasBegun = false;
    const second = HomeUse.begin(await specification()).then((use) => {
      hasBegun = true;
      return use;
    });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.equal(hasBegun, false);
    writeFileSync(database(), 'tables');
    await second;
    await (await HomeUse.begin(await specification())).end(undefined);
    await Promise.all([first.end(undefined), (await second).end(undefined)]);
    assert.deepEqual(readdirSync(homeFolder).sort(), ['backups', 'settled.json']);
  });

  it('keeps others waiting for as long as its gate is closed', async () => {
    rmSync(database());
    const first = await HomeUse.begin(await specification(), { settlingMilliseconds: 0 });
    first.follow({ phase: 'starting' });
    // longer than it takes to be given back once the sandbox runs
    await new Promise((resolve) => setTimeout(resolve, 800));
    assert.notEqual(await readHomeLock(homeFolder), undefined);
    first.follow({ phase: 'running' });
    await waitUntil('the lock is given back', async () => (await readHomeLock(homeFolder)) === undefined);
    await first.end(undefined);
  });

  it('leaves no lock when it could not be noted', async () => {
    const asked = await specification();
    mkdirSync(homeUsePath(homeFolder, asked.id));
    await assert.rejects(HomeUse.begin(asked, network));
    assert.equal(await readHomeLock(homeFolder), undefined);
  });

  it('tells the lock that it has', async () => {
    const shared = await HomeUse.begin(await specification());
    const alone = await HomeUse.begin(await specification(), network);
    assert.deepEqual(alone.heldLock, { folder: homeFolder, holder: await readHomeLock(homeFolder) });
    assert.equal(shared.heldLock, undefined);
    await Promise.all([shared.end(undefined), alone.end(undefined)]);
  });

  it('waits for a lock that is just being given back', async () => {
    const first = await HomeUse.begin(await specification(), network);
    const second = HomeUse.begin(await specification(), network);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await first.end(undefined);
    await (await second).end(undefined);
  });

  it('is refused while the home is being repaired', async () => {
    const repairer = await ownHomeUse('f'.repeat(16));
    await takeHomeLock(homeFolder, repairer);
    await assert.rejects(
      HomeUse.begin(await specification(), { patienceMilliseconds: 0 }),
      codeOf('home.busy'),
    );
    await assert.rejects(
      withHomeToWrite(await specification(), () => Promise.resolve()),
      codeOf('home.busy'),
    );
    await releaseHomeLock(homeFolder, repairer);
    assert.equal(await withHomeToWrite(await specification(), () => Promise.resolve('done')), 'done');
    assert.deepEqual(readdirSync(homeFolder).sort(), ['backups', 'settled.json']);
  });
});
