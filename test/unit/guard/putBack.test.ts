import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../src/sandbox/userError';
import { useGuard } from '../../support/guardUnderTest';
import { waitUntil } from '../../support/waitUntil';

describe('what is put back while an agent is at work', () => {
  const world = useGuard();
  let agent: ChildProcess | undefined;
  afterEach(async () => {
    if (!agent) return;
    const over = once(agent, 'exit');
    agent.kill('SIGKILL');
    await over;
    agent = undefined;
  });
  const takeAway = async (path: string): Promise<void> => {
    await world().guard.begin();
    world().put(path, 'mine');
    await waitUntil('found', () => world().finding(path), 20_000);
    await world().guard.takeAway(path);
  };
  const putBackAll = async (): Promise<void> => {
    for (const each of await world().guard.quarantined()) await world().guard.putBack(each);
  };

  it('is never taken for what the agent has put in its place', async () => {
    await takeAway('.envrc');
    // in the place of whatever is there, as soon as it is there
    const script = `const fs = require('fs');
      fs.writeFileSync('ready', '');
      for (;;) {
        try {
          if (fs.readFileSync('.envrc', 'utf8') === 'evil') continue;
          fs.writeFileSync('evil', 'evil');
          fs.renameSync('evil', '.envrc');
        } catch {}
      }`;
    agent = spawn(process.execPath, ['-e', script], { cwd: world().workspace, stdio: 'inherit' });
    await waitUntil('the agent is at work', () => existsSync(world().at('ready')));
    await putBackAll();
    await waitUntil('it was replaced', () => readFileSync(world().at('.envrc'), 'utf8') === 'evil');
    await world().finds('changed shell .envrc');
    const known = world().guard.known('.envrc')?.kept ?? '';
    assert.equal(String(await world().guard.store.kept(known)), 'mine');
  });

  it('goes through no link and into no folder that is there, and is kept', async () => {
    await takeAway('.envrc');
    const outside = join(world().workspace, '..', 'outside');
    const inTheWay: readonly ((path: string) => void)[] = [
      (path) => symlinkSync(outside, path),
      (path) => writeFileSync(path, 'other'),
      (path) => mkdirSync(path),
    ];
    for (const [count, put] of inTheWay.entries()) {
      put(world().at('.envrc'));
      await assert.rejects(
        putBackAll(),
        (error) => error instanceof UserError && error.code === 'quarantine.occupied',
        `${count}`,
      );
      execFileSync('/bin/rm', ['-r', world().at('.envrc')]);
    }
    assert.equal(existsSync(outside), false);
    assert.deepEqual(readdirSync(world().workspace), [], 'nothing is left beside it');
    await putBackAll();
    assert.equal(readFileSync(world().at('.envrc'), 'utf8'), 'mine');
    await world().guard.lookAgain();
    assert.equal(world().finding('.envrc'), undefined);
  });

  it('knows what was kept of a repository, and nothing that was added to it', async () => {
    const { guard } = world();
    await guard.begin();
    execFileSync('git', ['init', '-q', world().at('sub')]);
    await world().finds('new repository sub/.git');
    await guard.takeAway('sub/.git');
    const [kept] = await guard.quarantined();
    assert.ok(kept);
    await guard.putBack(kept);
    await world().finds();
    await guard.lookAgain();
    await world().finds();
    writeFileSync(world().at('sub/.git/hooks/pre-commit'), 'evil');
    await world().finds('new git sub/.git/hooks/pre-commit');
  });
});
