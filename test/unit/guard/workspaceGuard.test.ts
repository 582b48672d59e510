import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  type watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { BoundPath } from '../../../src/guard/boundPaths';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';
import { GuardUnderTest } from '../../support/guardUnderTest';

describe('the watch over a workspace', () => {
  const folder = useTemporaryFolder();
  let world: GuardUnderTest;
  beforeEach(async () => {
    world = new GuardUnderTest(join(folder(), 'workspace'), join(folder(), 'storage'));
    await world.open();
  });
  afterEach(() => {
    world.guard.dispose();
    assert.deepEqual(world.errors, []);
  });
  const put = (path: string, content = ''): void => world.put(path, content);

  it('finds what is new and what is changed, and nothing of what was there', async () => {
    put('Makefile', 'all:');
    put('tool.sh');
    chmodSync(world.at('tool.sh'), 0o755);
    put('package.json', '{"version": "1"}');
    await world.guard.begin();
    put('Makefile', 'all: evil');
    put('.vscode/tasks.json', '{}');
    put('deep/in/a/new/folder/.envrc', 'x');
    put('package.json', '{"version": "2"}');
    put('harmless.txt', 'x');
    put('tool.sh', 'changed, and executable as before');
    put('run.sh');
    chmodSync(world.at('run.sh'), 0o755);
    symlinkSync('/etc/passwd', world.at('leak'));
    symlinkSync('Makefile', world.at('inside'));
    execFileSync('/usr/bin/mkfifo', [world.at('pipe')]);
    linkSync(world.at('harmless.txt'), world.at('second'));
    put('a\u202egpj.exe');
    execFileSync('git', ['init', '-q', 'sub'], { cwd: world.workspace });
    await world.finds(
      ...['changed build Makefile', 'new editor .vscode/tasks.json', 'new executable run.sh'],
      ...['new hardLink harmless.txt', 'new hardLink second', 'new oddName a\u202egpj.exe'],
      ...['new outsideLink leak', 'new repository sub/.git', 'new shell deep/in/a/new/folder/.envrc'],
      'new special pipe',
    );
    assert.equal(world.guard.list()[0]?.mark.rule, 'repository', 'the worst comes first');
  });

  it('keeps in mind what could act before it was put back, until it is answered', async () => {
    put('.git/config', '[core]\n\tpager = less\n');
    put('.vscode/settings.json', '{}');
    await world.guard.begin();
    put('.git/config', '[core]\n\tfsmonitor = x\n');
    put('.vscode/settings.json', '{"a": 1}');
    put('.vscode/tasks.json', '{"a": 1}');
    await world.finds(
      ...['changed git .git/config', 'new editor .vscode/settings.json', 'new editor .vscode/tasks.json'],
    );
    put('.git/config', '[core]\n\tpager = less\n');
    put('.vscode/settings.json', '{}');
    const undone = ['gone git .git/config', 'gone editor .vscode/settings.json'];
    await world.finds(...undone, 'new editor .vscode/tasks.json');
    await world.guard.lookAgain();
    await world.finds(...undone, 'new editor .vscode/tasks.json');
    put('.vscode/settings.json', '{"a": 2}');
    assert.equal(await world.guard.allow('.vscode/settings.json'), false);
    assert.equal(await world.guard.allow('.git/config'), true);
    await world.finds('new editor .vscode/settings.json', 'new editor .vscode/tasks.json');
    put('.git/config', '[core]\n\tfsmonitor = x\n');
    await world.guard.lookAgain();
    assert.equal(world.finding('.git/config')?.change, 'changed', 'it is known as it was before');
  });

  it('forgets a change of what runs when asked to that was taken back, and keeps in mind what is gone', async () => {
    put('Makefile', 'all:');
    await world.guard.begin();
    put('Makefile', 'all: evil');
    put('conftest.py', 'evil');
    await world.finds('changed build Makefile', 'new tests conftest.py');
    put('Makefile', 'all:');
    unlinkSync(world.at('conftest.py'));
    await world.finds('gone tests conftest.py');
    utimesSync(world.at('Makefile'), 1, 1);
    put('conftest.py', 'again');
    await world.finds('new tests conftest.py');
  });

  it('knows what was allowed, until it changes again', async () => {
    await world.guard.begin();
    put('Makefile', 'one');
    execFileSync('git', ['init', '-q', 'sub'], { cwd: world.workspace });
    await world.finds('new build Makefile', 'new repository sub/.git');
    assert.equal(await world.guard.allow('Makefile'), true);
    assert.equal(await world.guard.allow('sub/.git'), true);
    await world.finds();
    assert.equal(String(await world.guard.store.kept(world.guard.known('Makefile')?.kept ?? '')), 'one');
    put('Makefile', 'two');
    put('sub/.git/hooks/post-checkout', 'evil');
    await world.finds('changed build Makefile', 'new git sub/.git/hooks/post-checkout');
  });

  it('does not allow what has changed since it was looked at', async () => {
    await world.guard.begin();
    put('Makefile', 'one');
    await world.finds('new build Makefile');
    put('Makefile', 'two');
    assert.equal(await world.guard.allow('Makefile'), false);
    await world.finds('new build Makefile');
  });

  it('finds after a reload what a sandbox did while no window looked', async () => {
    put('Makefile', 'all:');
    await world.guard.begin();
    put('conftest.py', 'evil');
    await world.finds('new tests conftest.py');
    world.guard.dispose();
    put('Makefile', 'all: evil');
    put('.envrc', 'evil');
    await world.open();
    await world.guard.restore();
    await world.finds('changed build Makefile', 'new shell .envrc', 'new tests conftest.py');
    world.guard.dispose();
    await world.open();
    await world.guard.restore();
    await world.finds('changed build Makefile', 'new shell .envrc', 'new tests conftest.py');
  });

  it('leaves alone what the user does while no sandbox runs, and keeps what was not answered', async () => {
    await world.guard.begin();
    put('conftest.py', 'evil');
    await world.finds('new tests conftest.py');
    await world.guard.settle();
    assert.equal(world.guard.isWatching, false);
    put('Makefile', 'mine');
    await world.guard.begin();
    await world.finds('new tests conftest.py');
  });

  it('reads nothing through a FIFO or link that takes a file’s place at that moment', async () => {
    await world.guard.begin();
    const until = Date.now() + 1500;
    for (let round = 0; Date.now() < until; round += 1) {
      rmSync(world.at('Makefile'), { force: true });
      if (round % 3 === 0) writeFileSync(world.at('Makefile'), `all: ${round}`);
      else if (round % 3 === 1) symlinkSync('/dev/zero', world.at('Makefile'));
      else execFileSync('/usr/bin/mkfifo', [world.at('Makefile')]);
      await new Promise((tick) => setImmediate(tick));
    }
    rmSync(world.at('Makefile'), { force: true });
    put('.envrc');
    await waitUntil('it goes on', () => world.finding('.envrc'), 20_000);
  });

  it('keeps up with thousands of files, deeper than a path can be, and lists so many only', async () => {
    await world.guard.begin();
    const name = '0'.repeat(200);
    const makeDeep = `i=0; while [ $i -lt 30 ]; do mkdir ${name} && cd -P ${name}; i=$((i+1)); done; echo x >.envrc`;
    execFileSync('/bin/sh', ['-c', makeDeep], { cwd: world.workspace });
    const makeMany = `i=0; while [ $i -lt 5000 ]; do : >f$i; i=$((i+1)); done; i=0; while [ $i -lt 400 ]; do mkdir d$i; : >d$i/Makefile; i=$((i+1)); done; echo x >.envrc`;
    execFileSync('/bin/sh', ['-c', makeMany], { cwd: world.workspace });
    const isListed = (): boolean => world.guard.list().length === 302 && world.guard.more === 100;
    try {
      await waitUntil('the last one is found', () => world.finding('.envrc'), 20_000);
      await waitUntil('the deep one, too', () => world.finding(`${`${name}/`.repeat(30)}.envrc`), 20_000);
      await waitUntil('the first are listed', isListed, 20_000);
    } finally {
      world.guard.dispose();
      // Node's rmSync can't
      execFileSync('/bin/rm', ['-rf', world.at(name)]);
    }
  });

  it('looks again and again where the kernel gives no more watches, and says so', async () => {
    world.guard.dispose();
    const fail = (() => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    }) as unknown as typeof watch;
    world = new GuardUnderTest(world.workspace, join(folder(), 'storage'), { watchFolder: fail });
    await world.open();
    await world.guard.begin();
    assert.equal(world.guard.isIncomplete, true);
    put('.envrc', 'x');
    await world.guard.lookAgain();
    await world.finds('new shell .envrc');
  });

  const bound = (path: string, time: number | undefined): BoundPath | undefined =>
    time !== undefined && path.startsWith('.vscode') ? { path: '.vscode', time } : undefined;

  it('takes what is changed where no sandbox can write as the user’s, once that was verified afterwards', async () => {
    world.guard.dispose();
    let boundAt: number | undefined = Date.now();
    const changes = { boundBy: (path: string) => bound(path, boundAt) };
    world = new GuardUnderTest(world.workspace, join(folder(), 'storage'), changes);
    put('.vscode/tasks.json', 'old');
    await world.open();
    await world.guard.begin();
    put('.vscode/tasks.json', 'mine');
    put('Makefile');
    await world.finds('new build Makefile');
    boundAt = Date.now() + 1000;
    await world.guard.verified(false);
    boundAt = undefined;
    await world.guard.verified(true);
    await world.finds('new build Makefile');
    put('.vscode/tasks.json', 'not mine');
    await world.finds('changed editor .vscode/tasks.json', 'new build Makefile');
  });

  it('is not deceived by a change just before a bind was lost', async () => {
    world.guard.dispose();
    let boundAt: number | undefined = Date.now() - 1;
    const changes = { boundBy: (path: string) => bound(path, boundAt) };
    world = new GuardUnderTest(world.workspace, join(folder(), 'storage'), changes);
    put('.vscode/tasks.json', 'old');
    await world.open();
    await world.guard.begin();
    put('.vscode/tasks.json', 'not mine');
    put('Makefile');
    await world.finds('new build Makefile');
    boundAt = undefined;
    await world.guard.verified(true);
    await world.finds('changed editor .vscode/tasks.json', 'new build Makefile');
  });
});
