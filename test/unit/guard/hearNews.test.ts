import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hearNews } from '../../../src/guard/hearNews';
import { type FolderNews, TreeWatch } from '../../../src/guard/treeWatch';
import { GuardUnderTest } from '../../support/guardUnderTest';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

describe('news of a folder', () => {
  const folder = useTemporaryFolder();
  const { signal } = new AbortController();

  it('are looked at to their end, what is guarded first, whatever goes wrong with one of them', async () => {
    mkdirSync(join(folder(), 'sub'));
    const heard: string[] = [];
    const at = (path: string): Promise<void> => {
      heard.push(path);
      return path === 'b' ? Promise.reject(new Error('disk full')) : Promise.resolve();
    };
    const nothing = (): void => undefined;
    const news = [
      { path: '', names: ['a', 'b', 'sub', '.vscode', 'Makefile'] },
      { path: 'sub', names: ['.envrc'] },
    ];
    const hearing = { workspace: folder(), signal, gone: nothing, listed: nothing, at };
    await assert.rejects(hearNews(news, hearing), /disk full/);
    assert.deepEqual(heard, ['.vscode', 'Makefile', 'a', 'b', 'sub', 'sub/.envrc']);
  });

  it('are found though something else among them went wrong, which is told', async () => {
    const world = new GuardUnderTest(join(folder(), 'workspace'), join(folder(), 'storage'), {
      boundBy: (path) => {
        if (path === 'bad.mk') throw new Error('nobody knows');
        return undefined;
      },
    });
    await world.open();
    await world.guard.begin();
    try {
      for (const name of ['Makefile', 'bad.mk', 'z.mk']) writeFileSync(world.at(name), 'all:');
      await world.finds('new build Makefile', 'new build z.mk');
      await waitUntil('that is told', () => world.errors.length > 0);
      assert.match(String(world.errors.splice(0)), /nobody knows/);
      assert.equal(world.guard.isIncomplete, true);
      writeFileSync(world.at('.envrc'), 'x');
      await world.finds('new build Makefile', 'new build z.mk', 'new shell .envrc');
    } finally {
      await world.close();
    }
  });

  it('of what git’s configuration names are looked at though something else among them went wrong', async () => {
    const world = new GuardUnderTest(join(folder(), 'workspace'), join(folder(), 'storage'), {
      boundBy: (path) => {
        if (path === 'bad.mk') throw new Error('nobody knows');
        return undefined;
      },
    });
    await world.open();
    world.put('.git/config', '[core]\n');
    world.put('hooks/pre-commit', 'x');
    await world.guard.begin();
    try {
      world.put('.git/config', '[core]\n\thooksPath = hooks\n');
      world.put('bad.mk', 'all:');
      await world.finds('new git .git/config', 'new git hooks/pre-commit');
      await waitUntil('that is told', () => world.errors.length > 0);
    } finally {
      await world.close();
    }
  });

  it('of a folder that is gone come from none in it any more', async () => {
    const heard: FolderNews[] = [];
    const watch = new TreeWatch({
      onNews: (news) => {
        heard.push(...news);
        return Promise.resolve();
      },
      onLimit: () => undefined,
      onFlood: () => undefined,
    });
    for (const path of ['top', 'sub', 'deep']) mkdirSync(join(folder(), path));
    try {
      watch.add('', join(folder(), 'top'));
      watch.add('sub', join(folder(), 'sub'));
      watch.add('sub/deep/er', join(folder(), 'deep'));
      assert.equal(watch.size, 3);
      watch.forget('sub');
      assert.equal(watch.size, 1);
      assert.equal(watch.has('sub/deep/er'), false);
      // the last is heard when the others would have been, too
      for (const path of ['deep', 'sub', 'top']) writeFileSync(join(folder(), path, 'one'), '');
      await waitUntil('the last is heard', () => heard.some(({ path }) => path === ''));
      assert.deepEqual([...new Set(heard.map(({ path }) => path))], ['']);
    } finally {
      watch.close();
    }
  });
});
