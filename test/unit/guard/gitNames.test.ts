import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findProtectedPaths } from '../../../src/guard/findProtected';
import { namedByGit } from '../../../src/guard/furtherGitPaths';
import { GitReading } from '../../../src/guard/gitReading';
import { relevantPart } from '../../../src/guard/relevantPart';
import { useGuard } from '../../support/guardUnderTest';

describe('what git’s configuration names in a workspace', () => {
  const world = useGuard();
  // the configuration of whoever runs this says nothing here
  const before = process.env['HOME'];
  beforeEach(() => (process.env['HOME'] = dirname(world().workspace)));
  afterEach(() => (process.env['HOME'] = before));
  const git = (...words: string[]): string => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    return execFileSync('git', [...who, '-C', world().workspace, ...words], { encoding: 'utf8' });
  };
  /** A repository with a filter, a hook and an included configuration in its work tree. */
  const makeRepository = (): void => {
    const { put, at } = { put: world().put.bind(world()), at: world().at.bind(world()) };
    git('init', '-q');
    put('strip.sh', '#!/bin/sh\ncat\n');
    chmodSync(at('strip.sh'), 0o755);
    put('tools/nb.py', 'pass');
    put('scripts/hooks/pre-commit', '#!/bin/sh\n');
    put('team.gitconfig', '[core]\n\thooksPath = scripts/hooks\n[include]\n\tpath = later.inc\n');
    put('.gitattributes', '*.ipynb filter=nb\n');
    put('a.ipynb', '{}');
    git('config', 'include.path', '../team.gitconfig');
    git('config', 'filter.nb.clean', './strip.sh');
    git('config', 'diff.nb.textconv', 'python3 tools/nb.py');
    git('config', 'diff.later.command', 'tools/later.sh');
  };
  const protectedNow = async (): Promise<string[]> => {
    const { workspace } = world();
    const request = { workspace, patterns: [], protectsGit: true, skipped: [] };
    const { paths } = await findProtectedPaths(request);
    return paths.map(({ path }) => path.slice(workspace.length + 1)).sort();
  };

  it('is bound read-only where it exists, and no start is refused for what may be a program', async () => {
    makeRepository();
    const found = ['.git', 'scripts/hooks', 'strip.sh', 'team.gitconfig', 'tools/nb.py'];
    assert.deepEqual(await protectedNow(), found);
    linkSync(world().at('strip.sh'), world().at('second'));
    assert.deepEqual(
      await protectedNow(),
      found.filter((path) => path !== 'strip.sh'),
    );
  });

  it('is watched, whether it exists or not, also when git runs it for a look only', async () => {
    makeRepository();
    git('add', '.');
    git('commit', '-qm', 'x');
    await world().guard.begin();
    world().put('strip.sh', `#!/bin/sh\ntouch ${world().at('ran')}\ncat\n`);
    world().put('a.ipynb', '[]');
    world().put('scripts/hooks/pre-commit', '#!/bin/sh\nevil\n');
    world().put('tools/nb.py', 'evil');
    world().put('tools/later.sh', 'evil');
    world().put('later.inc', '[core]\n\tsshCommand = evil\n');
    world().put('tools/other.py', 'harmless');
    await world().finds(
      ...['changed gitProgram strip.sh', 'changed gitProgram tools/nb.py', 'new gitProgram tools/later.sh'],
      ...['changed git scripts/hooks/pre-commit', 'new git later.inc'],
    );
    git('status', '--short');
    assert.equal(existsSync(world().at('ran')), true, 'git runs it');
  });

  describe('where the user’s own configuration names it', () => {
    it('is bound read-only and watched', async () => {
      git('init', '-q');
      world().put('team/hooks/pre-commit', '#!/bin/sh\n');
      git('config', '--global', 'core.hooksPath', 'team/hooks');
      assert.deepEqual(await protectedNow(), ['.git', 'team/hooks']);
      await world().guard.begin();
      world().put('team/hooks/pre-commit', `#!/bin/sh\ntouch ${world().at('ran')}\n`);
      chmodSync(world().at('team/hooks/pre-commit'), 0o755);
      await world().finds('changed git team/hooks/pre-commit');
      git('commit', '-q', '--allow-empty', '-m', 'x');
      assert.equal(existsSync(world().at('ran')), true, 'git runs it');
    });

    it('is read once for a work tree, which has two folders', async () => {
      world().put('main/.git/worktrees/tree/commondir', '../..\n');
      world().put('tree/.git', `gitdir: ${world().at('main/.git/worktrees/tree')}\n`);
      const limits = { bytes: 2 ** 16, bytesInFile: 2 ** 16, names: 50, namesInFile: 50 };
      const readWith = async (files: number): Promise<boolean> => {
        const reading = new GitReading({ ...limits, files });
        await namedByGit(world().at('tree/.git'), world().at('tree'), reading);
        return reading.isComplete;
      };
      assert.deepEqual([await readWith(8), await readWith(9)], [false, true]);
    });
  });

  describe('where the repository is above it', () => {
    const above = (...words: string[]): string =>
      execFileSync('git', ['-C', dirname(world().workspace), ...words], { encoding: 'utf8' });
    const name = (): string => basename(world().workspace);

    function makeAbove(): void {
      above('init', '-q');
      world().put('tools/look.sh', '#!/bin/sh\n');
      chmodSync(world().at('tools/look.sh'), 0o755);
      world().put('hooks/pre-commit', '#!/bin/sh\n');
      above('config', 'core.fsmonitor', `${name()}/tools/look.sh`);
      above('config', 'core.hooksPath', `${name()}/hooks`);
    }

    it('is bound read-only, but never all of the folder', async () => {
      makeAbove();
      assert.deepEqual(await protectedNow(), ['hooks', 'tools/look.sh']);
      above('config', 'core.hooksPath', name());
      assert.deepEqual(await protectedNow(), ['tools/look.sh']);
    });

    it('is watched', async () => {
      makeAbove();
      await world().guard.begin();
      world().put('tools/look.sh', `#!/bin/sh\ntouch ${world().at('ran')}\n`);
      world().put('hooks/post-commit', 'evil');
      await world().finds('changed gitProgram tools/look.sh', 'new git hooks/post-commit');
      above('status', '--short');
      assert.equal(existsSync(world().at('ran')), true, 'git runs it');
    });
  });

  it('is known over a reload, and again when what names it changes', async () => {
    makeRepository();
    await world().guard.begin();
    world().guard.dispose();
    world().put('strip.sh', 'evil');
    const guard = await world().open();
    await guard.follow();
    await world().finds('changed gitProgram strip.sh');
    assert.equal(await guard.allow('strip.sh'), true);
    world().put('named.sh', 'x');
    world().put('team.gitconfig', '[core]\n\tpager = ./named.sh\n');
    await world().finds('changed git team.gitconfig', 'new gitProgram named.sh');
    assert.equal(readFileSync(world().at('named.sh'), 'utf8'), 'x');
  });

  it('is used for more files when .gitattributes says so', async () => {
    makeRepository();
    await world().guard.begin();
    world().put('.gitattributes', '*.ipynb filter=nb\n*.txt text\n');
    world().put('docs/.gitattributes', '*.md diff=markdown -text merge=union\n');
    world().put('src/.gitattributes', '*.py filter=nb\n');
    await world().finds('new gitAttributes src/.gitattributes');
    const relevant = (text: string): string | undefined => relevantPart('.gitattributes', Buffer.from(text));
    assert.equal(
      relevant('[attr]x text filter=nb\n"a b" diff=python merge=ours\r\n# a filter=nb'),
      '[attr]x text filter=nb\n"a b" diff=python merge=ours',
    );
    assert.equal(relevant('* text=auto\n*.png binary -diff'), undefined);
  });
});
