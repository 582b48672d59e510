import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { withClaim } from '../../../src/host/claim';
import { readBootId } from '../../../src/host/processIdentity';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('withClaim', () => {
  const root = useTemporaryFolder();
  const patience = { milliseconds: 200, tooLate: () => new Error('too late') };
  const path = (): string => join(root(), 'claim');

  it('holds others up, and lets them when the work is done', async () => {
    await withClaim(path(), patience, async () => {
      await assert.rejects(
        withClaim(path(), patience, () => Promise.resolve()),
        /too late/,
      );
    });
    assert.equal(await withClaim(path(), patience, () => Promise.resolve('done')), 'done');
    assert.equal(existsSync(path()), false);
  });

  it('is not held for ever by a file without a word in it, or another computer’s, from before a clock was set back', async () => {
    const tomorrow = Date.now() / 1000 + 86_400;
    for (const left of ['', JSON.stringify({ pid: 1, startTime: '7', bootId: 'another computer' })]) {
      writeFileSync(path(), left);
      utimesSync(path(), tomorrow, tomorrow);
      assert.equal(await withClaim(path(), patience, () => Promise.resolve('done')), 'done');
    }
  });

  it('is taken over though somebody who did so before was killed, and a clock was set back since', async () => {
    const tomorrow = Date.now() / 1000 + 86_400;
    writeFileSync(path(), JSON.stringify({ pid: process.pid, startTime: '1', bootId: await readBootId() }));
    writeFileSync(`${path()}.guard`, '');
    utimesSync(`${path()}.guard`, tomorrow, tomorrow);
    assert.equal(await withClaim(path(), patience, () => Promise.resolve('done')), 'done');
  });

  it('leaves a claim that somebody has taken over meanwhile', async () => {
    const other = JSON.stringify({ pid: 1, startTime: '7', bootId: 'another computer' });
    await withClaim(path(), patience, () => {
      writeFileSync(path(), other);
      return Promise.resolve();
    });
    assert.equal(readFileSync(path(), 'utf8'), other);
  });

  it('is held by one at a time, also where many take over from a dead process at once', async () => {
    const dead = JSON.stringify({ pid: process.pid, startTime: '1', bootId: await readBootId() });
    let inside = 0;
    const together: number[] = [];
    const work = async (): Promise<void> => {
      inside += 1;
      await setImmediate();
      together.push(inside);
      inside -= 1;
    };
    for (let round = 0; round < 5; round += 1) {
      writeFileSync(path(), dead);
      const many = Array.from({ length: 4 }, () =>
        withClaim(path(), { ...patience, milliseconds: 30_000 }, work),
      );
      await Promise.all(many);
    }
    assert.equal(together.length, 20);
    assert.equal(Math.max(...together), 1);
    assert.deepEqual(readdirSync(root()), []);
  });
});
