import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs, {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { finishReplacement, isUnfinished, moveAside } from '../../../src/sessionKeeper/moveAside';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const old = { 'opencode.db': 'old', 'opencode.db-wal': 'old log', 'opencode.db-shm': 'old index' };
const changing = [
  'mkdirSync',
  'chmodSync',
  'linkSync',
  'copyFileSync',
  'renameSync',
  'rmSync',
  'fsyncSync',
] as const;

describe('moving a damaged database aside', () => {
  const root = useTemporaryFolder();
  let folder: string;
  afterEach(() => mock.restoreAll());

  function make(name: string): void {
    folder = join(root(), name);
    mkdirSync(folder);
    for (const [file, content] of Object.entries(old)) writeFileSync(join(folder, file), content);
  }

  /** @returns whether it came to its end before the next change after so many was made, as when it is killed */
  function isFinished(changes: number, work: () => void): boolean {
    let left = changes;
    for (const name of changing) {
      const original = fs[name] as (...values: unknown[]) => unknown;
      mock.method(fs, name, (...values: unknown[]) => {
        if (left === 0) throw new Error('killed');
        left -= 1;
        return original(...values);
      });
    }
    try {
      work();
      return true;
    } catch (error) {
      assert.equal((error as Error).message, 'killed');
      return false;
    } finally {
      mock.restoreAll();
    }
  }

  const present = (path = folder): Record<string, string> =>
    Object.fromEntries(
      readdirSync(path)
        .filter((name) => name.startsWith('opencode.db'))
        .map((name) => [name, readFileSync(join(path, name), 'utf8')]),
    );
  const aside = (): Record<string, string> => present(join(folder, 'damaged/now'));

  for (const suffix of ['repaired', 'restored']) {
    it(`leaves the old one with its log, or what can be finished, whenever it is killed (${suffix})`, () => {
      let changes = 0;
      for (let isOver = false; !isOver; changes += 1) {
        make(`${suffix}${changes}`);
        const replacement = join(folder, `opencode.db.${suffix}`);
        writeFileSync(replacement, 'new');
        isOver = isFinished(changes, () => moveAside(folder, 'now', `opencode.db.${suffix}`));
        if (existsSync(join(folder, 'opencode.db')) && !isOver && existsSync(replacement)) {
          assert.deepEqual(present(), { ...old, [`opencode.db.${suffix}`]: 'new' }, `${changes}`);
          assert.equal(isUnfinished(folder), false);
          continue;
        }
        assert.equal(isUnfinished(folder), !isOver, `${changes}`);
        finishReplacement(folder, 'later');
        assert.deepEqual(present(), { 'opencode.db': 'new' });
        assert.deepEqual(aside(), old);
        assert.equal(isUnfinished(folder), false);
      }
      assert.ok(changes > 6);
    });
  }

  it('writes nothing through a link, and waits for no pipe', () => {
    make('linked');
    mkdirSync(join(root(), 'elsewhere'));
    symlinkSync(join(root(), 'elsewhere'), join(folder, 'damaged'));
    rmSync(join(folder, 'opencode.db-wal'));
    assert.equal(spawnSync('mkfifo', [join(folder, 'opencode.db-wal')]).status, 0);
    moveAside(folder, 'now');
    assert.deepEqual(readdirSync(join(root(), 'elsewhere')), []);
    assert.ok(lstatSync(join(folder, 'damaged.now')).isSymbolicLink());
    assert.ok(lstatSync(join(folder, 'damaged/now/opencode.db-wal')).isFIFO());
    assert.equal(readFileSync(join(folder, 'damaged/now/opencode.db'), 'utf8'), 'old');
  });

  it('takes nothing but a file for what was about to take its place', () => {
    make('folders');
    rmSync(join(folder, 'opencode.db'));
    mkdirSync(join(folder, 'opencode.db.repaired/in it'), { recursive: true });
    assert.equal(isUnfinished(folder), false);
    mkdirSync(join(folder, 'opencode.db-journal/in it'), { recursive: true });
    writeFileSync(join(folder, 'opencode.db.restored'), 'new');
    assert.equal(isUnfinished(folder), true);
    finishReplacement(folder, 'later');
    assert.equal(readFileSync(join(folder, 'opencode.db'), 'utf8'), 'new');
    assert.ok(lstatSync(join(folder, 'damaged/later/opencode.db-journal/in it')).isDirectory());
  });

  it('starts fresh without what an earlier repair left, and all of the old one is kept whenever it is killed', () => {
    let changes = 0;
    for (let isOver = false; !isOver; changes += 1) {
      make(`fresh${changes}`);
      writeFileSync(join(folder, 'opencode.db.repaired'), 'half');
      isOver = isFinished(changes, () => moveAside(folder, 'now'));
      assert.equal(isUnfinished(folder), false);
      if (existsSync(join(folder, 'opencode.db'))) assert.deepEqual({ ...present(), ...old }, present());
      else assert.deepEqual(aside(), old);
    }
    assert.ok(changes > 6);
  });
});
