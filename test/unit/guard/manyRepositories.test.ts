import assert from 'node:assert/strict';
import { findProtectedPaths, type FoundProtected } from '../../../src/guard/findProtected';
import { GitNames } from '../../../src/guard/gitNames';
import { useGuard } from '../../support/guardUnderTest';

/** Each makes one repository more than is looked at, and says so by its name. */
const oversized: Readonly<Record<string, (put: (path: string, text?: string) => void) => void>> = {
  'a configuration that is too large': (put) => {
    put('config', `#${'x'.repeat(1_000_001)}`);
  },
  'too many programs': (put) => {
    put('config', '[alias]\n\tx = !./a\n'.repeat(501));
  },
  'too many includes': (put) => {
    put('config', '[include]\n\tpath = i\n'.repeat(501));
  },
  'too many entries': (put) => {
    for (let count = 0; count < 1001; count += 1) put(`${count}`);
  },
  'all that is read of one workspace': (put) => {
    const names = Array.from({ length: 40 }, (_, index) => `i${index}`);
    const all = names.map((name) => `[include]\n\tpath = ${name}\n`).join('');
    put('config', all);
    for (const name of names) put(name, `${all}#${'x'.repeat(900_000)}`);
  },
};

describe('a repository that is more than is looked at', () => {
  const world = useGuard();
  const ordinary = Array.from({ length: 4 }, (_, index) => `b${index}`);
  /** One that is oversized before ordinary ones, and one after them. */
  const make = (fill: (typeof oversized)[string]): void => {
    for (const name of ['a', 'c']) fill((path, text) => world().put(`${name}/.git/${path}`, text));
    for (const name of ordinary) {
      world().put(`${name}/.git/config`, '[core]\n\thooksPath = myhooks\n[diff "x"]\n\tcommand = ./run.sh\n');
      world().put(`${name}/myhooks/pre-commit`);
      world().put(`${name}/run.sh`);
    }
  };
  const find = (): Promise<FoundProtected> =>
    findProtectedPaths({ workspace: world().workspace, patterns: [], protectsGit: true, skipped: [] });

  for (const [what, fill] of Object.entries(oversized)) {
    it(`hides nothing of the others: ${what}`, async () => {
      make(fill);
      const { paths, isGitComplete } = await find();
      const found = paths.map(({ path }) => path.slice(world().workspace.length + 1));
      const wanted = ordinary.flatMap((name) => [`${name}/.git`, `${name}/myhooks`, `${name}/run.sh`]);
      assert.deepEqual(
        wanted.filter((path) => !found.includes(path)),
        [],
      );
      assert.equal(isGitComplete, false);

      const names = new GitNames(world().workspace);
      for (const name of ['a', ...ordinary, 'c']) names.see(`${name}/.git`);
      await names.renew(() => true);
      assert.equal(names.isPartial, true);
      for (const name of ordinary) {
        assert.equal(names.ruleOf(`${name}/myhooks/pre-commit`), 'git');
        assert.equal(names.ruleOf(`${name}/run.sh`), 'gitProgram');
      }
    });
  }

  it('is itself looked at as far as there is room', async () => {
    const programs = Array.from({ length: 400 }, (_, index) => `[alias]\n\tx = !./p${index}\n`).join('');
    world().put('a/.git/config', `${programs}[core]\n\thooksPath = myhooks\n`);
    world().put('a/p399');
    world().put('a/myhooks/pre-commit');
    const { paths, isGitComplete } = await find();
    assert.deepEqual(
      paths.map(({ path }) => path.slice(world().workspace.length + 1)),
      ['a/.git', 'a/myhooks', 'a/p399'],
    );
    assert.equal(isGitComplete, true);
  });
});
