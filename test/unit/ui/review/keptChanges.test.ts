import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { fromText } from '../../../../src/snapshot/bytePath';
import type { Change } from '../../../../src/snapshot/diff';
import { KeptChanges } from '../../../../src/ui/review/keptChanges';

describe('which changes are to be kept', () => {
  const values = new Map<string, unknown>();
  const memory: Memento = {
    keys: () => [...values.keys()],
    get: <T>(key: string, fallback?: T) => (values.get(key) ?? fallback) as T,
    update: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
  };
  beforeEach(() => values.clear());
  const remembered = (): number => JSON.stringify([...values]).length;

  const changes = (count: number): Change[] =>
    Array.from({ length: count }, (_, index) => ({
      path: fromText(`src/some/folder/file${index}`),
      kind: 'new',
      after: { kind: 'file', mode: 0o644, size: 1, stamp: '1', sha256: 'a'.repeat(64) },
    }));

  it('are as many as are listed at a time, in one review', async () => {
    const kept = new KeptChanges(memory);
    await kept.add('first', changes(20_000));
    assert.equal(kept.of('first').size, 20_000);
  });

  it('are never so many that a window takes long to open: beyond that it is said, and none is forgotten', async () => {
    const kept = new KeptChanges(memory);
    await kept.add('first', changes(100));
    await assert.rejects(kept.add('first', changes(50_000)), { code: 'review.tooManyKept' });
    assert.equal(kept.of('first').size, 100);
  });

  it('are forgotten with the oldest reviews when all together are too many', async () => {
    const kept = new KeptChanges(memory, 30_000);
    for (const snapshot of ['1', '2', '3', '4', '5']) await kept.add(snapshot, changes(100));
    assert.ok(remembered() < 31_000, String(remembered()));
    const sizes = ['1', '2', '3', '4', '5'].map((snapshot) => kept.of(snapshot).size);
    assert.deepEqual(sizes, [0, 0, 0, 100, 100]);
  });
});
