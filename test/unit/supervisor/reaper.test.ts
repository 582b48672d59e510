import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownHomeUse } from '../../../src/host/homeFolder';
import { homeLockPath, takeHomeLock } from '../../../src/host/homeLock';
import { identifyProcess } from '../../../src/host/processIdentity';
import type { ReaperRemovals } from '../../../src/supervisor/reaper';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

/** A supervisor that has nothing but a reaper, and says when it has. */
const supervisor = `
const { startReaper } = require(process.argv[1]);
startReaper(JSON.parse(process.argv[2]), JSON.parse(process.argv[3]), () => undefined);
console.log('ready');
setInterval(() => undefined, 1000);
`;

describe('the reaper', () => {
  const folder = useTemporaryFolder();
  const children: ChildProcess[] = [];
  afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

  async function killSupervisor(removals: ReaperRemovals): Promise<void> {
    const sleeper = spawn('/bin/sleep', ['60'], { detached: true });
    const starter = identifyProcess(sleeper.pid ?? 0);
    const child = spawn(process.execPath, [
      ...['-e', supervisor, join(__dirname, '../../../src/supervisor/reaper.js')],
      ...[JSON.stringify(starter), JSON.stringify(removals)],
    ]);
    children.push(sleeper, child);
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await waitUntil('everything is removed', () => !existsSync(removals.runDirectory));
  }

  it('removes the entry of a supervisor that was killed, also one that it was just writing anew', async () => {
    const runDirectory = join(folder(), 'run');
    const index = join(folder(), 'index');
    mkdirSync(runDirectory);
    mkdirSync(index);
    const indexEntry = join(index, `${'1'.repeat(16)}.json`);
    for (const path of [indexEntry, `${indexEntry}.boot.1.2`, join(index, 'other')]) writeFileSync(path, '');
    await killSupervisor({ runDirectory, indexEntry });
    await waitUntil('the entry is gone', () => !existsSync(indexEntry));
    await waitUntil('the other is alone', () => readdirSync(index).join() === 'other');
  });

  it('gives back the lock of a supervisor that was killed, and nobody else’s', async () => {
    const [own, other] = [await ownHomeUse('1'.repeat(16)), await ownHomeUse('2'.repeat(16))];
    const runDirectory = join(folder(), 'run');
    for (const holder of [own, other]) {
      mkdirSync(runDirectory);
      await takeHomeLock(folder(), holder);
      await killSupervisor({ runDirectory, homeLock: { folder: folder(), holder: own } });
      assert.deepEqual(readdirSync(folder()), holder === own ? [] : ['lock.json'], homeLockPath(folder()));
    }
  });
});
