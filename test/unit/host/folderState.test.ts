import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFolderState } from '../../../src/host/folderState';
import { compareFolderStates } from '../../../src/sandbox/folderChanges';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('changed files of a task', () => {
  const folder = useTemporaryFolder();
  const path = (...names: string[]): string => join(folder(), ...names);

  beforeEach(() => {
    mkdirSync(path('sub'));
    writeFileSync(path('kept'), 'x');
    writeFileSync(path('sub/changed'), 'x');
    writeFileSync(path('gone'), 'x');
  });

  it('names new, changed and gone files', async () => {
    const before = await readFolderState(folder());
    writeFileSync(path('sub/changed'), 'y');
    // hides the change from a look at the modification time
    utimesSync(path('sub/changed'), 0, 0);
    writeFileSync(path('new'), '');
    rmSync(path('gone'));
    assert.deepEqual(compareFolderStates(before, await readFolderState(folder())), [
      { path: 'gone', change: 'gone' },
      { path: 'new', change: 'new' },
      { path: 'sub/changed', change: 'changed' },
    ]);
  });

  it('leaves out the agent’s memory and git’s files, but not folders of that name further down', async () => {
    const before = await readFolderState(folder());
    for (const name of ['agent-home', '.git', 'sub/agent-home']) {
      mkdirSync(path(name));
      writeFileSync(path(name, 'file'), '');
    }
    const changes = compareFolderStates(before, await readFolderState(folder()));
    assert.deepEqual(changes, [{ path: 'sub/agent-home/file', change: 'new' }]);
  });

  it('does not follow links out of the folder', async () => {
    const before = await readFolderState(folder());
    symlinkSync('/etc', path('link'));
    const changes = compareFolderStates(before, await readFolderState(folder()));
    assert.deepEqual(changes, [{ path: 'link', change: 'new' }]);
  });

  it('says nothing is gone or new when it did not look at all', () => {
    const whole = { files: new Map([['a', '1']]), truncated: false };
    const part = { files: new Map([['b', '1']]), truncated: true };
    assert.deepEqual(compareFolderStates(whole, part), [{ path: 'b', change: 'new' }]);
    assert.deepEqual(compareFolderStates(part, whole), [{ path: 'b', change: 'gone' }]);
  });
});
