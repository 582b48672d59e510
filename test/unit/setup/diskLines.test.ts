import assert from 'node:assert/strict';
import { formatMessage } from '../../../src/sandbox/message';
import { refusePullFolder } from '../../../src/sandbox/refusePullFolder';
import { diskLines } from '../../../src/setup/diskLines';
import type { FolderRole, FolderSpace, SetupFacts } from '../../../src/setup/facts';
import type { LineId, SetupLine } from '../../../src/setup/line';
import { goodFacts } from './someFacts';

const openCache = openSetting('apptainerCacheFolder');
const openTemporary = openSetting('apptainerTemporaryFolder');

function lineOf(changes: Partial<SetupFacts>, id: LineId): SetupLine {
  const line = diskLines({ ...goodFacts, ...changes }).find((candidate) => candidate.id === id);
  assert(line, id);
  return line;
}

function withFolder(role: FolderRole, changes: Partial<FolderSpace>): Partial<SetupFacts> {
  return {
    folders: goodFacts.folders.map((folder) => (folder.role === role ? { ...folder, ...changes } : folder)),
  };
}

describe('the lines about disks', () => {
  it('offer what makes room for a cache where it really is, or another place for it', () => {
    const { fixes } = lineOf(withFolder('cache', { path: '/chosen/cache', freeBytes: 0 }), 'cacheSpace');
    assert.deepEqual(fixes, [
      {
        kind: 'commands',
        commands: [['env', 'APPTAINER_CACHEDIR=/chosen', 'apptainer', 'cache', 'clean']],
      },
      openCache,
    ]);
  });

  it('offer another place to unpack images', () => {
    const { fixes } = lineOf(withFolder('temporary', { freeBytes: 0 }), 'temporarySpace');
    assert.deepEqual(fixes, [openTemporary]);
  });

  it('say that images can’t be unpacked where no program may be run, which keeps no sandbox from starting', () => {
    const id = 'temporaryPrograms';
    const line = lineOf(withFolder('temporary', { forbidsPrograms: true }), id);
    assert.deepEqual([line.state, line.isBlocking, line.fixes], ['problem', false, [openTemporary]]);
    assert.match(formatMessage(line.detail), /\/data\/temporary.*noexec/);
    assert.match(formatMessage(line.advice ?? assert.fail()), /another disk/);
    assert.equal(lineOf({}, id).state, 'ok');
    // nothing is run from the others
    for (const role of ['images', 'cache', 'agentHome', 'workspace'] as const) {
      assert.equal(lineOf(withFolder(role, { forbidsPrograms: true }), id).state, 'ok');
    }
  });

  it('say why a folder that was chosen can’t be used, which keeps no sandbox from starting', () => {
    for (const [role, id, fix] of [
      ['cache', 'cacheSpace', openCache],
      ['temporary', 'temporarySpace', openTemporary],
    ] as const) {
      const place = { path: 'relative', ancestry: [] };
      const seen = { configuredPath: 'relative', place, entries: [], isWritable: false };
      const error = refusePullFolder(role, { ...seen, kind: 'missing' }, []);
      assert(error);
      const line = lineOf({ refusedFolders: [{ role, error }] }, id);
      assert.deepEqual([line.state, line.isBlocking, line.fixes], ['problem', false, [fix]]);
      assert.match(formatMessage(line.detail), /must be the full path/);
    }
  });
});

function openSetting(key: string): object {
  return { kind: 'action', action: { kind: 'openSetting', setting: `sandboxedAgent.${key}` } };
}
