import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProtectedPaths, type FoundProtected } from '../../../src/guard/findProtected';
import { readState, writeState } from '../../../src/guard/guardState';
import { listFolder, type ListedFolder } from '../../../src/guard/listFolder';
import type { Mark } from '../../../src/guard/mark';
import type { ProtectionRequest } from '../../../src/guard/protectedSearch';
import { defaultProtectedPaths, readProtectedPatterns } from '../../../src/sandbox/protectedPaths';
import { GuardUnderTest, useGuard } from '../../support/guardUnderTest';
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
  const find = (workspace: string, more: Partial<ProtectionRequest> = {}): Promise<FoundProtected> => {
    const patterns = readProtectedPatterns(defaultProtectedPaths);
    return findProtectedPaths({ workspace, patterns, protectsGit: true, skipped: [], ...more });
  };
  const pathsIn = (workspace: string, { paths }: FoundProtected): string[] =>
    paths.map(({ path }) => path.slice(workspace.length + 1)).sort();

  it('hides nothing that is protected by its name behind other names', async () => {
    for (const name of ['', 'config/']) {
      mkdirSync(join(folder(), name), { recursive: true });
      for (let count = 0; count < 60; count += 1) writeFileSync(join(folder(), `${name}f${count}`), '');
    }
    mkdirSync(join(folder(), '.git'));
    mkdirSync(join(folder(), '.vscode'));
    for (const name of ['.envrc', 'secrets.cfg', 'config/site.json']) writeFileSync(join(folder(), name), '');
    const entries = [...defaultProtectedPaths, 'secrets.cfg', 'config/site.json'];
    const found = await find(folder(), { patterns: readProtectedPatterns(entries), maximumEntries: 5 });
    assert.equal(found.isComplete, false);
    const named = ['.envrc', '.git', '.vscode', 'config/site.json', 'secrets.cfg'];
    assert.deepEqual(pathsIn(folder(), found), named);
  });

  it('lets others work while it is listed', async () => {
    for (let count = 0; count < 6500; count += 1) closeSync(openSync(join(folder(), `f${count}`), 'w'));
    let listed: ListedFolder | undefined;
    const turns = await turnsDuring(async () => (listed = await listFolder(folder(), 6100)));
    assert.equal(listed?.hasMore, true);
    assert.ok(turns >= 3, `${turns}`);
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
    const changes = { mostKnownBytes: 20 * 352 + 351 };
    const small = new GuardUnderTest(join(folder(), 'workspace'), join(folder(), 'storage'), changes);
    const guard = await small.open();
    // four of six bytes each where it is kept, six others, two quotes, and 320 for the rest
    const name = (index: number): string => `${'\u0001'.repeat(4)}${100 + index}.mk`;
    for (let index = 0; index < 30; index += 1) small.put(name(index), 'all:');
    try {
      await guard.begin();
      assert.equal(guard.isIncomplete, true);
      assert.deepEqual(small.found(), []);
      await guard.lookAgain();
      assert.equal(small.found().length, 10);
      assert.deepEqual(small.errors, []);
    } finally {
      await small.close();
    }
  });
});
