import assert from 'node:assert/strict';
import { buildSync } from 'esbuild';

/** What a bundle loads with its first line: all that is imported, but for what waits for an `import()`. */
function loadedAtOnce(entry: string): string[] {
  const { inputs } = buildSync({
    ...{ entryPoints: [entry], bundle: true, write: false, metafile: true, logLevel: 'error' },
    ...{ platform: 'node', format: 'cjs', external: ['node-pty', 'vscode'], mainFields: ['module', 'main'] },
  }).metafile;
  const found = new Set([entry]);
  for (const path of found) {
    for (const { path: imported, kind } of inputs[path]?.imports ?? []) {
      if (kind !== 'dynamic-import') found.add(imported);
    }
  }
  return [...found];
}

/** Each takes milliseconds of a start, and nothing needs it before Apptainer is started. */
const dear = /xterm|vscode-jsonrpc|^(?:node:)?(?:crypto|https?|tls|worker_threads|zlib)$/;

/** Only a thread does it, in a bundle of its own. */
const threadsOwn = 'src/host/snapshot/work.ts';

describe('what a window loads', () => {
  it('has nothing that only a thread does', () => {
    const loaded = loadedAtOnce('src/extension.ts');
    assert.ok(loaded.includes('src/host/snapshot/snapshotThread.ts'));
    assert.ok(!loaded.includes(threadsOwn));
  });
});

describe('what a supervisor loads', () => {
  it('is little before it starts Apptainer', () => {
    const loaded = loadedAtOnce('src/supervisor/main.ts');
    assert.ok(loaded.includes('src/supervisor/supervise.ts'));
    assert.deepEqual(
      loaded.filter((path) => dear.test(path)),
      [],
    );
  });

  it('has no terminal while Apptainer starts, and nothing that only a thread does', () => {
    for (const entry of ['src/supervisor/superviseStarted.ts', 'src/supervisor/serveSandbox.ts']) {
      const loaded = loadedAtOnce(entry);
      assert.ok(loaded.length > 20, 'and much else');
      assert.deepEqual(
        loaded.filter((path) => path.includes('xterm') || path === threadsOwn),
        [],
      );
    }
  });
});
