import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdirSync, rmSync, writeFileSync, type FSWatcher, type watch } from 'node:fs';
import { join } from 'node:path';
import { LiveSandboxes } from '../../../src/launch/liveSandboxes';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const full = Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), {
  code: 'ENOSPC',
});

describe('LiveSandboxes', () => {
  const storage = useTemporaryFolder();

  it('notices what comes and goes', async () => {
    mkdirSync(join(storage(), 'sandboxes'), { mode: 0o700 });
    const entry = join(storage(), 'sandboxes', '0123456789abcdef.json');
    for (const change of [() => writeFileSync(entry, '{}'), () => rmSync(entry)]) {
      let stop = (): void => undefined;
      const noticed = new Promise<void>((resolve, reject) => {
        const watching = new LiveSandboxes(storage()).watch(resolve, reject);
        void watching.then((stopWatching) => {
          stop = stopWatching;
          change();
        });
      });
      await noticed;
      stop();
    }
  });

  it('says that it can’t watch instead of failing', async () => {
    const failing = (() => {
      throw full;
    }) as unknown as typeof watch;
    const failures: unknown[] = [];
    const stop = await new LiveSandboxes(storage(), undefined, failing).watch(
      () => assert.fail(),
      (error) => failures.push(error),
    );
    assert.deepEqual(failures, [full]);
    stop();
  });

  it('says that the watch has ended', async () => {
    let isClosed = false;
    const watcher = Object.assign(new EventEmitter(), { close: () => (isClosed = true) });
    const failures: unknown[] = [];
    await new LiveSandboxes(storage(), undefined, () => watcher as unknown as FSWatcher).watch(
      () => assert.fail(),
      (error) => failures.push(error),
    );
    watcher.emit('error', full);
    assert.deepEqual(failures, [full]);
    assert.ok(isClosed);
  });
});
