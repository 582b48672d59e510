import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGitConfiguration } from '../../../src/guard/gitConfiguration';
import { configuredPaths, namedFolder } from '../../../src/guard/gitFiles';
import { relevantPart } from '../../../src/guard/relevantPart';
import { useTemporaryFolder } from '../../support/temporaryFolder';

/** Texts that git reads in its own way, and what it is asked for. */
const odd: readonly (readonly [string, string])[] = [
  ['[user] [core] hooksPath = h1', 'core.hooksPath'],
  ['[user]\n\tname = x\n[core]hooksPath=h2', 'core.hooksPath'],
  ['[core]\n\thooksPath = h\\\n3', 'core.hooksPath'],
  ['[core]\n\thooksPath = "h\\\n4"', 'core.hooksPath'],
  ['[core]\n\thooksPath = h5 ; note', 'core.hooksPath'],
  ['[core]\n\thooksPath = "h6" # note', 'core.hooksPath'],
  ['[core]\n\thooksPath = "h;7 "\\"x', 'core.hooksPath'],
  ['[CORE] # [user]\n\tHOOKSPATH\t=\th  8\t', 'core.hooksPath'],
  ['[core]\r\n\thooksPath = h9\r\n', 'core.hooksPath'],
  ['\ufeff[core] hooksPath = h10', 'core.hooksPath'],
  ['[branch "]\n[core]\n\thooksPath = no', 'core.hooksPath'],
  ['[branch "\\"]"] remote = "a\\tb\\\\"', 'branch."].remote'],
  ['[branch "a"]\n; [x]\n\tremote = \u00e4\u00a0 \\', 'branch.a.remote'],
  ['[branch.a] remote = b', 'branch.a.remote'],
  ['[core]\n\thooksPath', 'core.hooksPath'],
  ['[core]\n\thooksPath ; x\n', 'core.hooksPath'],
  ['[core]\n\thooksPath = "x\n', 'core.hooksPath'],
  ['[core]\n\thooksPath = \\x\n', 'core.hooksPath'],
];

describe('a configuration of git is read as git reads it', () => {
  const folder = useTemporaryFolder();
  for (const [text, name] of odd) {
    it(JSON.stringify(text), () => {
      const path = join(folder(), 'config');
      writeFileSync(path, text);
      const git = spawnSync('git', ['config', '--file', path, '--includes', name], { encoding: 'utf8' });
      const { settings, isWhole } = readGitConfiguration(text);
      assert.equal(isWhole, git.status === 0, git.stderr);
      if (!isWhole) return;
      const last = settings.at(-1);
      const full = [last?.section, ...(last?.subsection === undefined ? [] : [last.subsection]), last?.key];
      assert.equal(full.join('.'), name.toLowerCase());
      assert.equal(last?.value ?? '', git.stdout.replace(/\n$/, ''));
    });
  }

  it('and nothing in it that runs is taken for harmless', () => {
    const usual = '[core]\n\tbare = false\n';
    for (const more of [
      '[user] [core] fsmonitor = x',
      '[user]\n\tname = a\n[branch "x"] [core]\n\tfsmonitor = x',
      '[remote "o"] url = https://x [core] \n[core] fsmonitor = x',
      '[core]\n\tbare = \\\nfalse\n\tfsmonitor = x',
    ]) {
      assert.match(relevantPart('.git/config', Buffer.from(usual + more)) ?? '', /fsmonitor/, more);
    }
    assert.equal(
      relevantPart('.git/config', Buffer.from(`${usual}[user] name = "[core] fsmonitor"`)),
      undefined,
    );
  });
});

describe('what git’s files name', () => {
  it('is the folder of a work tree or submodule', () => {
    assert.equal(namedFolder('gitdir: ../.git/modules/a\n', 'gitdir'), '../.git/modules/a');
    assert.equal(namedFolder('../..\n', 'commondir'), '../..');
    assert.equal(namedFolder('something else\n', 'gitdir'), undefined);
    assert.equal(namedFolder('', 'commondir'), undefined);
  });

  it('is where hooks and more configuration are', () => {
    const text = [
      '[core]',
      '\trepositoryformatversion = 0',
      '\thooksPath = .githooks',
      '[include] path = one',
      '\tPATH = "two three"',
      '[includeIf "gitdir:~/x/"]',
      'path = ~/outside',
      'path=../four',
      '[remote "origin"]',
      '\tpath = no',
    ].join('\n');
    assert.deepEqual(configuredPaths(text), {
      hooks: ['.githooks'],
      includes: ['one', 'two three', '~/outside', '../four'],
      programs: [],
    });
  });

  it('is what may be a program, or an argument of one', () => {
    const names: readonly (readonly [string, readonly string[]])[] = [
      ['[filter "nb"] clean = ./strip.sh %f', ['./strip.sh']],
      ['[filter "nb"] smudge = python3 tools/nb.py --out=x/y.txt', ['tools/nb.py', 'x/y.txt']],
      ['[filter "nb"] process = "python3 nb.py"', ['nb.py']],
      ['[diff "x"] textconv = sh -c \'exec \\"tools/a b\\" $1\'', ['tools/a']],
      ['[diff] external = "$PWD/tools/diff"', ['./tools/diff']],
      ['[merge "x"] driver = $(git rev-parse --show-toplevel)/m.sh %O', ['./m.sh']],
      ['[core] fsmonitor = .git/hooks/watch', ['.git/hooks/watch']],
      ['[core] sshCommand = ssh -F ssh/config', ['ssh/config']],
      ['[credential "https://x"] helper = "!f() { ./c.sh; }; f"', ['./c.sh']],
      ['[alias] x = !sh tools/x.sh', ['tools/x.sh']],
      ['[alias] y = log tools/x.sh', []],
      ['[remote "o"] url = ../other.git', []],
      ['[remote "o"] url = ext::./evil.sh', ['ext::./evil.sh']],
      ['[gpg] program = gpg2', []],
      ['[unknown "to us"] cmd = bin/tool', ['bin/tool']],
      ['[user] name = a/b', []],
    ];
    for (const [text, expected] of names) assert.deepEqual(configuredPaths(text).programs, expected, text);
  });

  it('is read at once, whatever it is made of', () => {
    const length = 240_000;
    for (const piece of ['$(', '${', '`', '$', 'a/b ', '"" ', '<a/b'])
      assert.ok(
        configuredPaths(`[alias]\nx = !${piece.repeat(length / piece.length)}`).hooks.length === 0,
        piece,
      );
    // more than a call can have arguments
    const names = 150_000;
    assert.equal(configuredPaths(`[x] y = ${'a/b '.repeat(names)}`).programs.length, names);
    assert.deepEqual(configuredPaths('[core]\nhooksPath = a\nhooksPath = b').hooks, ['b']);
  });
});
