import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  createFile,
  entryPath,
  openFolder,
  openPrivateFolder,
  readSmallFile,
  UnsafeFileError,
} from '../../../src/host/safeFiles';
import type { FileProblem } from '../../../src/sandbox/paths';
import { isRoot, useTemporaryFolder } from '../../support/temporaryFolder';

function reason(expected: FileProblem): (error: unknown) => boolean {
  return (error) => {
    assert(error instanceof UnsafeFileError, String(error));
    assert.equal(error.reason, expected);
    return true;
  };
}

describe('readSmallFile', () => {
  const folder = useTemporaryFolder();

  it('reads a file up to the limit', async () => {
    const path = join(folder(), 'file');
    writeFileSync(path, '12345');
    assert.equal((await readSmallFile(path, 5, { ours: true })).toString(), '12345');
    await assert.rejects(readSmallFile(path, 4), reason('tooLarge'));
  });

  it('does not read a huge file, whatever it takes on the disk', async () => {
    const path = join(folder(), 'huge');
    writeFileSync(path, '');
    truncateSync(path, 10 * 1024 ** 3);
    await assert.rejects(readSmallFile(path, 1000), reason('tooLarge'));
  });

  it('does not believe a file that says it is empty', async () => {
    await assert.rejects(readSmallFile('/proc/self/mountinfo', 10), reason('tooLarge'));
  });

  it('says when there is nothing', async () => {
    await assert.rejects(readSmallFile(join(folder(), 'missing'), 10), reason('missing'));
  });

  it('follows no link', async () => {
    const path = join(folder(), 'link');
    symlinkSync('/etc/passwd', path);
    await assert.rejects(readSmallFile(path, 1_000_000), reason('symbolicLink'));
  });

  it('opens no FIFO, device or folder', async () => {
    const fifo = join(folder(), 'fifo');
    execFileSync('/usr/bin/mkfifo', [fifo]);
    await assert.rejects(readSmallFile(fifo, 10), reason('notAFile'));
    await assert.rejects(readSmallFile('/dev/zero', 10), reason('notAFile'));
    await assert.rejects(readSmallFile(folder(), 10), reason('notAFile'));
  });

  it('takes no file of another user for ours', async () => {
    const path = isRoot ? join(folder(), 'foreign') : '/etc/passwd';
    if (isRoot) {
      writeFileSync(path, 'x');
      lchownSync(path, 65534, 65534);
    }
    await assert.rejects(readSmallFile(path, 1_000_000, { ours: true }), reason('foreignOwner'));
  });
});

describe('createFile', () => {
  const folder = useTemporaryFolder();

  it('makes a file that only we can read', async () => {
    const path = join(folder(), 'file');
    assert.equal(await createFile(path, 'content'), true);
    assert.equal(readFileSync(path, 'utf8'), 'content');
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('leaves what is there, and writes through no link', async () => {
    const target = join(folder(), 'target');
    const link = join(folder(), 'link');
    writeFileSync(target, 'old');
    symlinkSync(target, link);
    symlinkSync(join(folder(), 'made'), join(folder(), 'dangling'));
    assert.equal(await createFile(target, 'new'), false);
    assert.equal(await createFile(link, 'new'), false);
    assert.equal(await createFile(join(folder(), 'dangling'), 'new'), false);
    assert.equal(readFileSync(target, 'utf8'), 'old');
    assert.throws(() => lstatSync(join(folder(), 'made')));
  });
});

describe('openFolder and openPrivateFolder', () => {
  const folder = useTemporaryFolder();

  it('gives entries that stay in the folder, wherever its name points later', async () => {
    const inner = join(folder(), 'inner');
    mkdirSync(inner);
    const handle = await openFolder(inner);
    try {
      await createFile(entryPath(handle, 'file'), 'x');
      assert.equal(readFileSync(join(inner, 'file'), 'utf8'), 'x');
      for (const name of ['', '.', '..', 'a/b', '/etc', 'a\0']) assert.throws(() => entryPath(handle, name));
    } finally {
      await handle.close();
    }
  });

  it('makes a folder with mode 0700', async () => {
    const path = join(folder(), 'new');
    await (await openPrivateFolder(path)).close();
    assert.equal(statSync(path).mode & 0o7777, 0o700);
  });

  it('closes a folder of ours to others', async () => {
    const path = join(folder(), 'open');
    mkdirSync(path);
    chmodSync(path, 0o777);
    await (await openPrivateFolder(path)).close();
    assert.equal(statSync(path).mode & 0o7777, 0o700);
  });

  it('follows no link, and changes nothing at its end', async () => {
    const target = join(folder(), 'target');
    mkdirSync(target);
    chmodSync(target, 0o755);
    symlinkSync(target, join(folder(), 'link'));
    symlinkSync(join(folder(), 'nowhere'), join(folder(), 'dangling'));
    await assert.rejects(openPrivateFolder(join(folder(), 'link')), reason('symbolicLink'));
    await assert.rejects(openPrivateFolder(join(folder(), 'dangling')), reason('symbolicLink'));
    await assert.rejects(openFolder(join(folder(), 'link')), reason('symbolicLink'));
    assert.equal(statSync(target).mode & 0o777, 0o755);
  });

  it('takes nothing else for a folder', async () => {
    const file = join(folder(), 'file');
    const fifo = join(folder(), 'fifo');
    writeFileSync(file, '');
    execFileSync('/usr/bin/mkfifo', [fifo]);
    await assert.rejects(openPrivateFolder(file), reason('notAFolder'));
    await assert.rejects(openPrivateFolder(fifo), reason('notAFolder'));
    await assert.rejects(openPrivateFolder(join(folder(), 'missing', 'below')), reason('missing'));
  });

  it('leaves the folder of another user', async () => {
    const path = isRoot ? join(folder(), 'foreign') : '/usr';
    if (isRoot) {
      mkdirSync(path);
      lchownSync(path, 65534, 65534);
    }
    await assert.rejects(openPrivateFolder(path), reason('foreignOwner'));
    await assert.rejects(openFolder(path, { ours: true }), reason('foreignOwner'));
  });
});
