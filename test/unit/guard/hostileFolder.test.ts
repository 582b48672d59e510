import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../../src/host/removeTree';
import { findProtectedPaths, type FoundProtected } from '../../../src/guard/findProtected';
import { readState, writeState } from '../../../src/guard/guardState';
import type { Mark } from '../../../src/guard/mark';
import { defaultProtectedPaths, readProtectedPatterns } from '../../../src/sandbox/protectedPaths';
import { makeDeep } from '../../support/deepFolders';
import { useGuard } from '../../support/guardUnderTest';
import { useTemporaryFolder } from '../../support/temporaryFolder';

/** How often others had their turn while something was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

describe('a folder that was made to be slow before the first start', () => {
  const world = useGuard();
  const folder = useTemporaryFolder();
  const find = (workspace: string): Promise<FoundProtected> => {
    const patterns = readProtectedPatterns(defaultProtectedPaths);
    return findProtectedPaths({ workspace, patterns, protectsGit: true, skipped: [] });
  };
  const pathsIn = (workspace: string, { paths }: FoundProtected): string[] =>
    paths.map(({ path }) => path.slice(workspace.length + 1)).sort();

  it('hides nothing that is protected behind a hundred thousand other names, and lets others work', async () => {
    for (let count = 0; count < 100_500; count += 1) closeSync(openSync(join(folder(), `f${count}`), 'w'));
    mkdirSync(join(folder(), '.git'));
    mkdirSync(join(folder(), '.vscode'));
    writeFileSync(join(folder(), '.envrc'), '');
    let found: FoundProtected | undefined;
    assert.ok((await turnsDuring(async () => (found = await find(folder())))) > 20);
    assert.ok(found);
    assert.equal(found.isComplete, false);
    assert.deepEqual(pathsIn(folder(), found), ['.envrc', '.git', '.vscode']);
  });

  const included = (count: number): string =>
    Array.from({ length: count }, (_, index) => `[include]\n\tpath = ../i${index}\n`).join('');
  for (const [what, text] of [
    ['includes more files than are read', included(600)],
    ['is too large to be read', `${included(1)}#${'x'.repeat(1_000_000)}`],
    ['names more programs than are looked at', '[alias]\n\tx = !./a\n'.repeat(501)],
  ] as const) {
    it(`says so when a configuration of git ${what}`, async () => {
      world().put('.git/config', text);
      world().put('.git/HEAD', 'ref: refs/heads/main');
      assert.equal((await find(world().workspace)).isGitComplete, false);
      await world().guard.begin();
      assert.equal(world().guard.isIncomplete, true);
      world().put('.git/config', '[core]\n');
      await world().guard.lookAgain();
      assert.equal(world().guard.isIncomplete, false);
      assert.equal((await find(world().workspace)).isGitComplete, true);
    });
  }

  it('reads so much of git’s configurations only, however they include each other', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `i${index}`);
    const all = names.map((name) => `[include]\n\tpath = ../${name}\n`).join('');
    world().put('.git/config', all);
    for (const name of names) world().put(name, `${all}#${'x'.repeat(900_000)}`);
    const since = performance.now();
    assert.equal((await find(world().workspace)).isGitComplete, false);
    assert.ok(performance.now() - since < 20_000);
  });

  it('lets others work while what is known of it is written and read', async () => {
    const marks = new Map<string, Mark>();
    const known = { rule: 'packageScripts', kind: 'file', content: 'x'.repeat(64) } as const;
    for (let count = 0; count < 20_000; count += 1)
      marks.set(`p\n${count}`, { ...known, identity: `${count}` });
    const finding = {
      path: 'Makefile',
      change: 'new',
      mark: { ...known, identity: '' },
      foundAt: 1,
    } as const;
    const state = {
      ...{ workspace: '/w', marks, findings: [finding] },
      ...{ unkept: 3, isUnsettled: true, ignoresExecutables: false },
    };
    let written: Buffer = Buffer.alloc(0);
    assert.ok((await turnsDuring(async () => (written = await writeState(state)))) > 20);
    assert.ok((await turnsDuring(async () => assert.deepEqual(await readState(written), state))) > 20);
    await assert.rejects(readState(written.subarray(0, -1)));
  });

  it('is known as far as there is room, and the rest is a finding as soon as somebody looks again', async () => {
    const files = Array.from({ length: 1300 }, (_, index) => `${index}.mk`);
    // six bytes each, where it is kept
    const name = '\u0001'.repeat(250);
    makeDeep(world().workspace, name, 24, files);
    try {
      await world().guard.begin();
      assert.equal(world().guard.isIncomplete, true);
      assert.deepEqual(world().found(), []);
      await world().guard.lookAgain();
      const found = world().guard.list().length + world().guard.more;
      assert.ok(found > 0 && found < 500, `${found}`);
    } finally {
      world().guard.dispose();
      await removeTree(world().at(name));
    }
  });
});
