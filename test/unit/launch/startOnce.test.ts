import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBootId } from '../../../src/host/processIdentity';
import { readIndexEntries, writeIndexEntry } from '../../../src/host/sandboxIndex';
import { startOnce } from '../../../src/launch/startOnce';
import type { SandboxKind, SandboxSpecification } from '../../../src/sandbox/specification';
import { liveEntry } from '../../support/indexEntries';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('startOnce', () => {
  const index = useTemporaryFolder();
  let started: string[];
  beforeEach(() => {
    started = [];
  });

  /** Starts in a window of its own; what it starts is entered in the index. */
  function start(workspace: string, kind: SandboxKind = 'agent'): Promise<string> {
    const identity = { device: '1', inode: '1', size: '1', changedTime: '1' };
    const specification = { kind, workspace: { path: workspace, identity }, indexDirectory: index() };
    return startOnce(specification as SandboxSpecification, async () => {
      const id = String(started.length).repeat(16);
      const socket = `/run/${id}`;
      started.push(workspace);
      await writeIndexEntry(index(), await liveEntry({ id, kind, workspace, socket, isStarting: true }));
      await new Promise((resolve) => setImmediate(resolve));
      await writeIndexEntry(index(), await liveEntry({ id, kind, workspace, socket }));
      return socket;
    });
  }

  it('starts one sandbox when several windows ask for it at the same time', async () => {
    const sockets = await Promise.all([1, 2, 3].map(() => start('/data/project')));
    assert.deepEqual(started, ['/data/project']);
    assert.equal(new Set(sockets).size, 1);
    assert.deepEqual(readdirSync(index()), ['0000000000000000.json']);
  });

  it('starts others for another folder, one that is called so but for case, and another kind', async () => {
    await Promise.all([
      start('/data/project'),
      start('/data/Project'),
      start('/data/other'),
      start('/data/project', 'shell'),
      start('/data/project', 'task'),
      start('/data/project', 'task'),
    ]);
    assert.equal(started.length, 6);
  });

  it('starts another one when the one that was started is over, though its supervisor has not gone yet', async () => {
    await start('/data/project');
    const [entry] = await readIndexEntries(index());
    assert.ok(entry);
    await writeIndexEntry(index(), { ...entry, isOver: true });
    await start('/data/project');
    assert.deepEqual(started, ['/data/project', '/data/project']);
  });

  it('lets the next one start when the first could not', async () => {
    const identity = { device: '1', inode: '1', size: '1', changedTime: '1' };
    const specification = {
      kind: 'agent',
      workspace: { path: '/data/project', identity },
      indexDirectory: index(),
    } as SandboxSpecification;
    let next: Promise<string> | undefined;
    const failing = startOnce(specification, () => {
      next = start('/data/project');
      return Promise.reject(new Error('no image'));
    });
    await assert.rejects(failing, /no image/);
    await next;
    assert.deepEqual(started, ['/data/project']);
  });

  it('does not wait for a window that was killed while it started', async () => {
    await start('/data/project');
    const [entry] = readdirSync(index());
    assert(entry);
    // the name of the claim is found by taking it
    let name = '';
    await startOnce(
      {
        kind: 'agent',
        workspace: { path: '/data/other', identity: {} },
        indexDirectory: index(),
      } as SandboxSpecification,
      () => {
        name = readdirSync(index()).find((file) => file.endsWith('.claim')) ?? '';
        return Promise.resolve('/run/other');
      },
    );
    const dead = { pid: spawnSync('/bin/true').pid, startTime: '1', bootId: await readBootId() };
    for (const content of [JSON.stringify(dead), 'half a cla']) {
      const path = join(index(), name);
      writeFileSync(path, content);
      const longAgo = Date.now() / 1000 - 60;
      utimesSync(path, longAgo, longAgo);
      started = [];
      await Promise.all([start('/data/other'), start('/data/other')]);
      assert.ok(started.length <= 1);
      assert.equal(
        readdirSync(index()).some((file) => file.includes('.claim')),
        false,
      );
    }
  });
});
