import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../../src/sandbox/userError';
import { makeDeep } from '../../support/deepFolders';
import { useGuard } from '../../support/guardUnderTest';
import { waitUntil } from '../../support/waitUntil';

describe('the quarantine', () => {
  const world = useGuard();

  it('takes away and puts back, links and folders too, and follows none', async () => {
    await world().guard.begin();
    world().put('.envrc', 'evil');
    chmodSync(world().at('.envrc'), 0o751);
    symlinkSync('/etc/passwd', world().at('leak'));
    execFileSync('git', ['init', '-q', 'sub'], { cwd: world().workspace });
    symlinkSync('/etc', world().at('sub/.git/elsewhere'));
    execFileSync('/usr/bin/mkfifo', [world().at('pipe')]);
    const all = ['new outsideLink leak', 'new repository sub/.git', 'new shell .envrc', 'new special pipe'];
    await world().finds(...all);
    for (const path of ['.envrc', 'leak', 'sub/.git', 'pipe']) await world().guard.takeAway(path);
    await world().finds();
    assert.deepEqual(readdirSync(world().workspace), ['sub']);
    assert.deepEqual(readdirSync(world().at('sub')), []);
    const kept = await world().guard.quarantined();
    assert.equal(statSync(world().guard.store.quarantineDirectory).mode & 0o777, 0o700);
    world().put('.envrc', 'mine');
    await world().finds('new shell .envrc');
    for (const each of kept) {
      const back = world().guard.putBack(each);
      if (each.path === '.envrc') {
        await assert.rejects(
          back,
          (error) => error instanceof UserError && error.code === 'quarantine.occupied',
        );
        rmSync(world().at('.envrc'));
        await world().guard.putBack(each);
      } else {
        await back;
      }
    }
    assert.equal(readFileSync(world().at('.envrc'), 'utf8'), 'evil');
    assert.equal(statSync(world().at('.envrc')).mode & 0o777, 0o751);
    assert.ok(existsSync(world().at('sub/.git/HEAD')));
    await waitUntil(
      'known',
      () => world().found().length === 0,
      2000,
      () => world().found().join(),
    );
  });

  it('says that something is too large to be taken away, and leaves it', async () => {
    await world().guard.begin();
    world().put('.envrc');
    truncateSync(world().at('.envrc'), 10 * 1024 ** 3);
    await world().finds('new shell .envrc');
    await assert.rejects(world().guard.takeAway('.envrc'), /too large/);
    assert.equal(statSync(world().at('.envrc')).size, 10 * 1024 ** 3);
    assert.deepEqual(await world().guard.quarantined(), []);
  });

  it('leaves what lies too deep to be kept, and says so', async () => {
    await world().guard.begin();
    world().put('sub/.git/HEAD');
    await world().finds('new repository sub/.git');
    makeDeep(world().at('sub/.git'), 'd', 200);
    await assert.rejects(world().guard.takeAway('sub/.git'), /can’t be kept/);
    assert.ok(existsSync(world().at('sub/.git/d/d')));
    assert.deepEqual(await world().guard.quarantined(), []);
  });

  it('goes through the real folder when one on the way is swapped for a link', async () => {
    mkdirSync(join(dirname(world().workspace), 'outside'));
    writeFileSync(join(dirname(world().workspace), 'outside/.envrc'), 'secret');
    await world().guard.begin();
    world().put('sub/.envrc', 'x');
    await world().finds('new shell sub/.envrc');
    renameSync(world().at('sub'), world().at('away'));
    symlinkSync(join(dirname(world().workspace), 'outside'), world().at('sub'));
    await assert.rejects(world().guard.takeAway('sub/.envrc'), /changed or removed/);
    assert.equal(readFileSync(join(dirname(world().workspace), 'outside/.envrc'), 'utf8'), 'secret');
    await world().finds('gone shell sub/.envrc', 'new outsideLink sub', 'new shell away/.envrc');
  });
});
