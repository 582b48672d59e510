import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RevertOrder } from '../../../src/host/snapshot/orders';
import { startSnapshotWork } from '../../../src/host/snapshot/snapshotThread';
import { storeOf } from '../../../src/host/snapshot/store';
import type { SandboxConnection } from '../../../src/launch/connection';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { pathsOf } from '../../../src/snapshot/diff';
import { image } from '../../support/environment';
import { ScreenReader } from '../../support/screenReader';
import { treeLines } from '../../support/treeLines';
import { waitUntil } from '../../support/waitUntil';
import { identified, specify, startSandbox, TestFolders } from './sandboxUnderTest';

const script = resolve(__dirname, '../../../../dist/snapshots.js');

/** What a program of the agent's does to file number `i`, and to much besides. */
const program = `
import os, sys
count = int(sys.argv[1])
for i in range(count):
    path = f'data/d{i % 20}/file{i}'
    what = i % 8
    if what == 0:
        open(path, 'a').write('more')
    elif what == 1:
        os.rename(path, f'data/moved{i}')
    elif what == 2:
        os.unlink(path)
    elif what == 3:
        os.chmod(path, 0o755)
    elif what == 4:
        os.unlink(path); os.symlink('/etc/passwd', path)
    elif what == 5:
        os.unlink(path); os.mkdir(path); open(path + '/inside', 'w').write('x')
    elif what == 6:
        open(f'data/new{i}', 'wb').write(os.urandom(50)); os.chmod(path, 0)
    else:
        open(path, 'w').write('other')
os.rename('whole', 'gone-elsewhere')
os.unlink('link'); os.symlink('elsewhere', 'link')
os.rmdir('empty'); os.mkdir('other-empty', 0o711)
open(b'bytes\\xff\\xfe', 'wb').write(b'x')
os.chmod('data/d1', 0o500)
open('done', 'w').write('done')
`;

/** Makes a folder with so many files, links, empty folders and odd names. */
function fill(workspace: string, count: number): void {
  for (let number = 0; number < 20; number += 1)
    mkdirSync(join(workspace, `data/d${number}`), { recursive: true });
  for (let number = 0; number < count; number += 1) {
    writeFileSync(join(workspace, `data/d${number % 20}/file${number}`), `file ${number}\n`);
  }
  mkdirSync(join(workspace, 'whole/deep/deeper'), { recursive: true });
  writeFileSync(join(workspace, 'whole/deep/deeper/file'), Buffer.from([0, 255, 10]), { mode: 0o640 });
  mkdirSync(join(workspace, 'empty'), { mode: 0o750 });
  symlinkSync('data', join(workspace, 'link'));
  writeFileSync(Buffer.concat([Buffer.from(`${workspace}/odd`), Buffer.from([0xc3, 0x28, 0x0a])]), 'odd');
  writeFileSync(join(workspace, 'change.py'), program);
}

/** Starts a sandbox with a shell that keeps what was there. */
export async function startUndoable(
  folders: TestFolders,
  directory: string,
  changes: Partial<SandboxSpecification> = {},
): Promise<{ connection: SandboxConnection; supervisorPid: number; id: string; store: string }> {
  const undo = { directory, maximumBytes: 2 ** 28, respectsIgnoreFiles: true, closed: ['agent-home'] };
  const specification = specify(folders, { undo, ...changes });
  const { connection, supervisorPid } = await startSandbox(specification);
  return { connection, supervisorPid, id: specification.id, store: storeOf(directory, folders.workspace) };
}

/**
 * Lets a program in a real sandbox change so many files, undoes all of it, undoes the undoing, and undoes that. Each
 * time the whole tree must be what it was, to the byte.
 */
export async function undoRun(count: number): Promise<void> {
  const folders = new TestFolders();
  const directory = mkdtempSync(join(folders.root, 'snapshots-'));
  try {
    fill(folders.workspace, count);
    const before = linesOf(folders);
    const { connection, id, store } = await startUndoable(folders, directory, { image: identified(image()) });
    await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
    assert.equal(connection.status.undo?.state, 'ready');
    const screen = await ScreenReader.attach(connection);
    screen.type(`python3 change.py ${count}; echo over$?\r`);
    await screen.shows(/over\d/);
    await screen.shows(/over0/, 1000);
    await connection.stop();
    const after = linesOf(folders);
    assert.notEqual(hashOf(after), hashOf(before));

    const { changes } = await startSnapshotWork(
      { type: 'compare', store, id, kept: new Map(), mostListed: Infinity },
      { script },
    ).result;
    assert.ok(changes.length >= count, String(changes.length));
    const first = await revert(store, id, pathsOf(changes));
    assertTree(folders, before, 'undone');
    const second = await revert(store, first, 'touched');
    assertTree(folders, after, 'undoing is undone');
    await revert(store, second, 'touched');
    assertTree(folders, before, 'undone again');
  } finally {
    // Node's own way knows neither folders without permissions nor names that are no text
    spawnSync('chmod', ['-R', 'u+rwx', folders.root]);
    spawnSync('rm', ['-rf', folders.root]);
  }
}

/** @returns the id of the snapshot that was taken before */
async function revert(store: string, id: string, paths: RevertOrder['paths']): Promise<string> {
  const undoId = randomBytes(8).toString('hex');
  const work = startSnapshotWork({ type: 'revert', store, id, paths, force: false, undoId }, { script });
  const { left } = await work.result;
  assert.deepEqual(left.slice(0, 5), []);
  await work.over;
  return undoId;
}

/** Everything but the agent's home, where the shell writes its history. */
function linesOf({ workspace }: TestFolders): string[] {
  return treeLines(workspace, ['agent-home']);
}

function assertTree(folders: TestFolders, expected: readonly string[], what: string): void {
  const lines = linesOf(folders);
  const known = new Set(expected);
  const unexpected = lines.filter((line) => !known.has(line));
  assert.deepEqual(unexpected.slice(0, 10), [], what);
  assert.equal(hashOf(lines), hashOf(expected), what);
}

function hashOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
