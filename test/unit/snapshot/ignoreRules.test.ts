import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ancestorsOf, fromText } from '../../../src/snapshot/bytePath';
import { type IgnoreRules, isIgnored, parseIgnoreFile } from '../../../src/snapshot/ignoreRules';
import { useTemporaryFolder } from '../../support/temporaryFolder';

/** Whether a path is ignored, or a folder above it. */
function ignores(files: readonly IgnoreRules[], path: string): boolean {
  const whole = fromText(path);
  return (
    [...ancestorsOf(whole)].reverse().some((folder) => isIgnored(files, folder, true)) ||
    isIgnored(files, whole, false)
  );
}

const patterns = [
  ...['*.log', '!keep.log', '/root.txt', 'build/', 'docs/*.html', '**/cache', 'src/**', 'a/**/b'],
  ...[
    '# no rule',
    '\\#rule',
    '\\!bang',
    'space\\ ',
    'trailing   ',
    'x?z',
    '[ab]c',
    '[!ab]d',
    '[a-c]e',
    'f[^x]g',
  ],
  ...[
    'deep/er/',
    '*.t[xy]t',
    '/only/top',
    'mid/*/end',
    '***.star',
    'lit[',
    '[[:digit:]]n',
    'back\\\\slash',
    '/*/wild',
  ],
  ...['**', '/**', '**/', 'foo/**/', 'one//two', '*', '!*/', '[]-]q', 'é*'],
];

const paths = [
  ...['a.log', 'keep.log', 'sub/keep.log', 'root.txt', 'sub/root.txt', 'build/x', 'sub/build/y', 'build2/x'],
  ...[
    'docs/a.html',
    'docs/sub/a.html',
    'x/cache',
    'cache/inner',
    'src/a',
    'src/b/c',
    'a/b',
    'a/x/b',
    'a/x/y/b',
  ],
  ...[
    '#rule',
    '!bang',
    'space ',
    'trailing',
    'xyz',
    'xz',
    'ac',
    'bd',
    'cd',
    'be',
    'de',
    'fyg',
    'fxg',
    'deep/er/f',
  ],
  ...[
    'b.txt',
    'b.tyt',
    'b.tzt',
    'only/top',
    'sub/only/top',
    'mid/1/end',
    'mid/1/2/end',
    'z.star',
    'lit[',
    '7n',
    'n',
  ],
  ...['back\\slash', 'any/wild', 'any/more/wild', 'foo/bar/f', 'one/two', ']q', '-q', 'événement', 'plain'],
];

describe('rules of .gitignore', () => {
  const folder = useTemporaryFolder();

  /** What git itself says, of files that need not be there but for their folders. */
  function git(): ReadonlySet<string> {
    for (const path of paths) mkdirSync(dirname(join(folder(), path)), { recursive: true });
    const environment = { PATH: process.env['PATH'], HOME: folder(), GIT_CONFIG_NOSYSTEM: '1' };
    const init = spawnSync('git', ['init', '-q'], { cwd: folder(), env: environment });
    assert.equal(init.status, 0, String(init.stderr));
    const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], {
      ...{ cwd: folder(), env: environment, input: paths.join('\0'), encoding: 'utf8' },
    });
    return new Set(stdout.split('\0').filter((path) => path !== ''));
  }

  /** @returns how many are ignored */
  function compareWithGit(texts: Readonly<Record<string, string>>): number {
    const files = Object.entries(texts).map(([place, text]) => {
      mkdirSync(join(folder(), place), { recursive: true });
      writeFileSync(join(folder(), place, '.gitignore'), text);
      return parseIgnoreFile(fromText(place), fromText(text));
    });
    const expected = git();
    const found = paths.filter((path) => {
      const above = files.filter((file) => file.folder === '' || path.startsWith(`${file.folder}/`));
      return ignores(above, path);
    });
    assert.deepEqual(
      found,
      paths.filter((path) => expected.has(path)),
      JSON.stringify(texts),
    );
    return found.length;
  }

  it('mean what git says they mean, each by itself', () => {
    const counts = patterns.map((pattern) => compareWithGit({ '': `${pattern}\n` }));
    assert.ok(counts.filter((count) => count > 0).length > patterns.length / 2, 'git ignores something');
  });

  it('mean what git says they mean, all together, with those of folders below', () => {
    compareWithGit({
      '': patterns.slice(0, 27).join('\r\n'),
      docs: '!*.html\n',
      'src/b': '!c\n',
      sub: '/root.txt',
    });
  });

  it('are matched in no more steps than pattern times path, however hostile they are', () => {
    const stepsOf = (rules: string, path: string): number => {
      const work = { steps: 0 };
      assert.equal(
        isIgnored([parseIgnoreFile(fromText(''), fromText(rules))], fromText(path), false, work),
        false,
      );
      return work.steps;
    };
    const star = stepsOf(`${'*a'.repeat(100)}b`, 'a'.repeat(255));
    assert.ok(star <= 200 * 255, `${star}`);
    const many = stepsOf(`${'**/a/'.repeat(100)}b`, 'a/'.repeat(500) + 'c');
    assert.ok(many <= 201 * 501 * 2, `${many}`);
    // one that is too long does not count at all
    assert.equal(stepsOf('*a'.repeat(500_000), `${'a'.repeat(200)}b`), 0);
    const file = parseIgnoreFile(fromText(''), fromText('x\n'.repeat(100_000)));
    assert.equal(file.rules.length, 2000);
  });

  it('hide nothing any more when matching them takes too long', () => {
    const rules = parseIgnoreFile(fromText(''), fromText('*a*a*a*a*a*b*a\n'.repeat(2000)));
    const work = { steps: 0 };
    const path = fromText('a'.repeat(250));
    const hidden = parseIgnoreFile(fromText(''), fromText('a*'));
    assert.equal(isIgnored([hidden], path, false, work), true);
    assert.equal(isIgnored([rules], path, false, work), false);
    assert.ok(work.steps > 2000 * 250 && work.steps < 2000 * 250 * 250, `${work.steps}`);
    assert.equal(isIgnored([hidden], path, false, { steps: 2e9 }), false);
  });
});
