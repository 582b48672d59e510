import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findProtectedPaths } from '../../../src/guard/findProtected';
import type { ProtectionRequest } from '../../../src/guard/protectedSearch';
import { identify } from '../../../src/host/fileIdentity';
import { defaultProtectedPaths, readProtectedPatterns } from '../../../src/sandbox/protectedPaths';
import { UserError } from '../../../src/sandbox/userError';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('finding what must be read-only', () => {
  const folder = useTemporaryFolder();
  const at = (name: string): string => join(folder(), name);

  function put(...names: string[]): void {
    for (const name of names) {
      mkdirSync(dirname(at(name)), { recursive: true });
      if (name.endsWith('/')) mkdirSync(at(name), { recursive: true });
      else writeFileSync(at(name), '');
    }
  }

  async function found(changes: Partial<ProtectionRequest> = {}): Promise<string[]> {
    const { paths } = await findProtectedPaths({
      workspace: folder(),
      patterns: readProtectedPatterns(defaultProtectedPaths),
      protectsGit: true,
      skipped: [at('agent-home')],
      ...changes,
    });
    return paths.map(({ path }) => relative(folder(), path)).sort();
  }

  async function refused(changes: Partial<ProtectionRequest> = {}): Promise<string> {
    const error: unknown = await found(changes).then(
      (paths) => assert.fail(`found ${paths.join(' ')}`),
      (reason: unknown) => reason,
    );
    assert(error instanceof UserError, String(error));
    return error.code;
  }

  it('finds what exists, at the top and in each repository, and nothing else', async () => {
    put('.git/config', '.vscode/settings.json', 'a.code-workspace', '.envrc', 'src/.envrc');
    put('vendor/deep/lib/.git/HEAD', 'vendor/deep/lib/.husky/', 'module/.git', 'agent-home/x/.git/');
    assert.deepEqual(await found(), [
      ...['.envrc', '.git', '.vscode', 'a.code-workspace', 'module/.git'],
      ...['vendor/deep/lib/.git', 'vendor/deep/lib/.husky'],
    ]);
    assert.deepEqual(await found({ protectsGit: false }), [
      ...['.envrc', '.vscode', 'a.code-workspace', 'vendor/deep/lib/.husky'],
    ]);
  });

  it('notes the identity, by which a swapped one is known', async () => {
    put('.envrc');
    const { paths } = await findProtectedPaths({
      ...{ workspace: folder(), protectsGit: true, skipped: [] },
      patterns: readProtectedPatterns(['.envrc']),
    });
    assert.deepEqual(paths, [{ path: at('.envrc'), identity: await identify(at('.envrc')), rule: '.envrc' }]);
  });

  it('knows variants in case, which are the same on some file systems', async () => {
    put('.GIT/', '.VsCode/');
    assert.deepEqual(await found(), ['.GIT', '.VsCode']);
  });

  it('follows paths of several names', async () => {
    put('config/one.json', 'config/two.txt', 'sub/config/three.json');
    assert.deepEqual(await found({ patterns: readProtectedPatterns(['config/*.json']) }), [
      'config/one.json',
    ]);
  });

  it('finds the folders in the workspace that git reads or runs besides', async () => {
    put('repository/HEAD', 'hooks/', '.githooks/', 'shared/config');
    writeFileSync(at('.git'), 'gitdir: repository\n');
    symlinkSync('../hooks', at('repository/hooks'));
    writeFileSync(at('repository/commondir'), '../shared\n');
    writeFileSync(at('repository/config.worktree'), '[core]\nhooksPath = .githooks\n');
    writeFileSync(at('shared/config'), '[include]\npath = ../extra.gitconfig\n');
    put('extra.gitconfig');
    assert.deepEqual(await found(), [
      ...['.git', '.githooks', 'extra.gitconfig', 'hooks', 'repository', 'shared'],
    ]);
  });

  it('finds what an included configuration names, and what that includes', async () => {
    put('.git/HEAD', 'scripts/hooks/', 'deep/more.inc');
    writeFileSync(at('.git/config'), '[user] [include] path = ../team.inc ; of the team\n');
    writeFileSync(
      at('team.inc'),
      '[core]\n\thooksPath = "scripts/hooks" # ours\n[include]\n\tpath = deep/\\\nmore.inc\n',
    );
    writeFileSync(at('deep/more.inc'), '[include]\n\tpath = last.inc\n\tpath = more.inc\n');
    put('deep/last.inc');
    assert.deepEqual(await found(), ['.git', 'deep/last.inc', 'deep/more.inc', 'scripts/hooks', 'team.inc']);
  });

  it('leaves alone what a repository names outside, or above its work tree', async () => {
    put('inner/.git/HEAD');
    writeFileSync(at('inner/.git/config'), '[core]\nhooksPath = ..\n[include]\npath = /etc/passwd\n');
    assert.deepEqual(await found(), ['inner/.git']);
  });

  it('refuses links, FIFOs and files with a second name', async () => {
    put('elsewhere/');
    symlinkSync('elsewhere', at('.vscode'));
    assert.equal(await refused(), 'protected.symbolicLink');
    renameSync(at('.vscode'), at('x'));
    execFileSync('/usr/bin/mkfifo', [at('.envrc')]);
    assert.equal(await refused(), 'protected.notAFile');
    renameSync(at('.envrc'), at('y'));
    put('.tool-versions');
    linkSync(at('.tool-versions'), at('second'));
    assert.equal(await refused(), 'protected.hardLinked');
    assert.equal(await refused({ patterns: readProtectedPatterns(['x/*.json']) }), 'protected.symbolicLink');
  });

  it('refuses a folder of ours that can’t be looked into, wherever it is', async () => {
    put('vendor/lib/.git/HEAD', 'hooks/', '.git/HEAD');
    symlinkSync('../hooks', at('.git/hooks'));
    for (const closed of ['vendor', '.git', 'hooks', '.']) {
      for (const mode of [0o311, 0o600]) {
        chmodSync(at(closed), mode);
        try {
          assert.equal(await refused(), 'protected.unreadable', closed);
        } finally {
          chmodSync(at(closed), 0o755);
        }
      }
    }
    assert.deepEqual(await found(), ['.git', 'hooks', 'vendor/lib/.git']);
  });

  it('refuses when there is too much', async () => {
    put(...Array.from({ length: 257 }, (_, number) => `r${number}/.git/`));
    assert.equal(await refused(), 'protected.tooMany');
  });

  it('does not follow links, and says when a name is no text or a folder too deep', async () => {
    put('real/lib/.git/');
    symlinkSync(at('real'), at('link'));
    assert.deepEqual(await found({ skipped: [at('real')] }), []);
    const request = { workspace: folder(), patterns: [], protectsGit: true, skipped: [] };
    assert.equal((await findProtectedPaths(request)).isComplete, true);
    mkdirSync(Buffer.from(`${at('bytes')}\xff`, 'latin1'));
    assert.equal((await findProtectedPaths(request)).isComplete, false);
  });

  it('comes to an end in a folder that is deeper than a path can be', async () => {
    execFileSync(
      '/bin/sh',
      [
        '-c',
        `cd "$1" && n=$(printf %0200d 0) && i=0 && while [ $i -lt 30 ]; do mkdir $n && cd -P $n; i=$((i+1)); done; mkdir .git`,
      ].concat('sh', folder()),
    );
    const { paths, isComplete } = await findProtectedPaths({
      ...{ workspace: folder(), patterns: [], protectsGit: true, skipped: [] },
    });
    // Node's rmSync can't
    execFileSync('/bin/rm', ['-rf', at('0'.repeat(200))]);
    assert.deepEqual([paths, isComplete], [[], false]);
  });
});
