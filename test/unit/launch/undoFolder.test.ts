import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readPlace } from '../../../src/host/folderFacts';
import { undoPart, type UndoSettings } from '../../../src/launch/undoFolder';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('where it is kept what can be undone', () => {
  const folder = useTemporaryFolder();
  const path = (...names: string[]): string => join(folder(), ...names);
  beforeEach(() => ['workspace', 'other', 'storage', 'home'].forEach((name) => mkdirSync(path(name))));

  async function part(
    settings: Partial<UndoSettings> = {},
    home = '',
  ): Promise<SandboxSpecification['undo']> {
    const undo = { folder: '', maximumBytes: 100, respectsIgnoreFiles: true, ...settings };
    const identity = { device: '1', inode: '1', size: '1', changedTime: '1' };
    const { undo: found } = await undoPart(
      { settings: { undo }, storageDirectory: path('storage') },
      {
        workspace: await readPlace(path('workspace')),
        workspaces: [await readPlace(path('workspace')), await readPlace(path('other'))],
        home: home === '' ? { kind: 'memory' } : { kind: 'folder', folder: { path: home, identity } },
        makeFolder: async (parent, name) => {
          await mkdir(join(parent, name), { mode: 0o700 });
          return join(parent, name);
        },
      },
    );
    return found;
  }

  it('is in the storage of the extension, or in a folder of its own in the one that was chosen', async () => {
    assert.equal((await part())?.directory, path('storage/snapshots'));
    const chosen = await part({ folder: path('home') });
    assert.equal(chosen?.directory, path('home/sandboxed-agent-snapshots'));
    assert.equal(lstatSync(path('home')).mode & 0o777, 0o777 & ~process.umask());
  });

  it('is there also when nothing is to be kept, for the note that a sandbox runs, as far as it can be', async () => {
    const settings = { maximumBytes: 0, respectsIgnoreFiles: true, closed: ['agent-home'] };
    assert.deepEqual(await part({ maximumBytes: 0 }), { ...settings, directory: path('storage/snapshots') });
    assert.equal(await part({ maximumBytes: 0, folder: path('workspace') }), undefined);
    assert.deepEqual(readdirSync(path('workspace')), []);
  });

  it('is out of reach of the agent, also by a link and in its home', async () => {
    symlinkSync(path('workspace'), path('link'));
    for (const chosen of [path('workspace'), path('link'), path('other')]) {
      await assert.rejects(part({ folder: chosen }), { code: 'undo.inReach' });
    }
    await assert.rejects(part({ folder: path('home') }, path('home')), { code: 'undo.inReach' });
    assert.deepEqual(readdirSync(path('workspace')), []);
  });

  it('leaves out the agent’s home, wherever in the folder it is', async () => {
    assert.deepEqual((await part())?.closed, ['agent-home']);
    const within = await part({ folder: path('home') }, path('workspace/.memory/agent'));
    assert.deepEqual(within?.closed, ['agent-home', '.memory/agent']);
  });
});
