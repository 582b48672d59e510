import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../../src/host/removeTree';
import { makeDeep } from '../../support/deepFolders';
import { GuardUnderTest } from '../../support/guardUnderTest';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('what an agent hides from the watch', () => {
  let world: GuardUnderTest;
  // before the folder is removed, which needs it
  afterEach(() => {
    world.guard.dispose();
    execFileSync('/bin/chmod', ['-R', 'u+rwx', world.workspace]);
  });
  const folder = useTemporaryFolder();
  beforeEach(async () => {
    world = new GuardUnderTest(join(folder(), 'workspace'), join(folder(), 'storage'));
    await world.open();
  });
  afterEach(() => {
    assert.deepEqual(world.errors, []);
  });
  const makeTasks = (name: string): void => {
    mkdirSync(world.at(name));
    writeFileSync(world.at(name, 'tasks.json'), '{"tasks":[]}');
  };

  it('behind files that no parser comes to the end of, is found as ever', async () => {
    await world.guard.begin();
    const names = ['package.json', 'opencode.json', '.vscode/settings.json'];
    for (const name of names) world.put(name, '['.repeat(100_000));
    world.put('sub/.envrc', 'x');
    const rules = ['packageScripts', 'agent', 'editor'];
    const found = [...names.map((name, index) => `new ${rules[index]} ${name}`), 'new shell sub/.envrc'];
    await world.finds(...found);
    await world.guard.lookAgain();
    await world.finds(...found);
  });

  it('behind paths that are too long to be looked up, is found as ever, and told is that not all is looked at', async () => {
    await world.guard.begin();
    // 3000 of them kept it busy for minutes, in which nothing else was found
    makeDeep(world.workspace, 'd'.repeat(250), 90, ['.envrc', 'package.json']);
    world.put('sub/.envrc', 'x');
    await world.finds('new shell sub/.envrc');
    await world.guard.lookAgain();
    await world.finds('new shell sub/.envrc');
    assert.equal(world.guard.isIncomplete, true);
    await removeTree(world.at('d'.repeat(250)));
  });

  it('in a folder that can’t be listed, is told as such a folder', async () => {
    await world.guard.begin();
    makeTasks('made');
    chmodSync(world.at('made'), 0o311);
    renameSync(world.at('made'), world.at('.vscode'));
    await world.finds('new closed .vscode');
    assert.equal(readFileSync(world.at('.vscode', 'tasks.json'), 'utf8'), '{"tasks":[]}', 'as programs do');
    assert.equal(world.guard.isIncomplete, true);
    await world.guard.lookAgain();
    assert.equal(world.guard.isIncomplete, true);
    await world.guard.settle();
    await world.guard.begin();
    await world.finds('new closed .vscode');
  });

  it('in a folder that is closed when it comes, is found once it is open', async () => {
    await world.guard.begin();
    for (const mode of [0o600, 0o311, 0]) {
      const name = `m${mode}`;
      mkdirSync(world.at(name));
      makeTasks(`${name}/made`);
      chmodSync(world.at(name, 'made'), mode);
      renameSync(world.at(name, 'made'), world.at(name, '.vscode'));
      await world.guard.lookAgain();
      assert.equal(world.finding(`${name}/.vscode`)?.mark.rule, 'closed');
      chmodSync(world.at(name, '.vscode'), 0o755);
    }
    const open = [0o600, 0o311, 0].flatMap((mode) => [
      `gone closed m${mode}/.vscode`,
      `new editor m${mode}/.vscode/tasks.json`,
    ]);
    await world.finds(...open);
    await world.guard.lookAgain();
    assert.equal(world.guard.isIncomplete, false);
  });

  it('by closing a folder that was watched, loses it neither what was there nor what comes', async () => {
    mkdirSync(world.at('vendor'));
    execFileSync('git', ['init', '-q', world.at('vendor', 'lib')]);
    await world.guard.begin();
    chmodSync(world.at('vendor'), 0o311);
    await world.finds('new closed vendor');
    writeFileSync(world.at('vendor', 'lib', '.git', 'config'), '[core]\n\tfsmonitor = x\n');
    await world.finds('new closed vendor', 'new git vendor/lib/.git/config');
    chmodSync(world.at('vendor', 'lib', '.git'), 0o311);
    await world.finds(
      ...['new closed vendor', 'changed closed vendor/lib/.git', 'new git vendor/lib/.git/config'],
    );
  });
});

describe('a link with the name of a folder that is guarded', () => {
  const folder = useTemporaryFolder();

  it('is a finding, though it stays in the workspace', async () => {
    const world = new GuardUnderTest(join(folder(), 'workspace'), join(folder(), 'storage'));
    await world.open();
    try {
      await world.guard.begin();
      mkdirSync(world.at('made'));
      mkdirSync(world.at('sub'));
      const editors = ['.vscode', '.idea', '.devcontainer', '.husky', '.githooks', '.github', '.opencode'];
      const others = ['.venv', 'sub/env', 'node_modules', '.cargo', '.hg', 'harmless'];
      for (const name of [...editors, ...others]) symlinkSync('made', world.at(name));
      await world.finds(
        ...['new editor .vscode', 'new otherEditor .idea', 'new otherEditor .devcontainer'],
        ...['new commitHook .husky', 'new commitHook .githooks', 'new pipeline .github'],
        ...['new agent .opencode', 'new interpreter .venv', 'new interpreter sub/env'],
        ...['new packagePrograms node_modules', 'new build .cargo', 'new git .hg'],
      );
    } finally {
      world.guard.dispose();
    }
  });
});
