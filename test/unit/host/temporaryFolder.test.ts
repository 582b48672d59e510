import assert from 'node:assert/strict';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeRunDirectory } from '../../../src/host/runDirectory';
import {
  createTemporaryFiles,
  findTemporaryParents,
  isWithoutExecution,
} from '../../../src/host/temporaryFolder';
import { UserError } from '../../../src/sandbox/userError';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('createTemporaryFiles', () => {
  const folder = useTemporaryFolder();

  it('makes private folders in the first parent that works, and announces each place before', async () => {
    const announced: string[] = [];
    writeFileSync(join(folder(), 'file'), '');
    mkdirSync(join(folder(), 'parent'));
    const files = await createTemporaryFiles([join(folder(), 'file'), join(folder(), 'parent')], (path) => {
      assert.equal(existsSync(path), false);
      announced.push(path);
      return Promise.resolve();
    });
    assert.equal(announced.length, 2);
    assert.equal(files.path, announced[1]);
    assert.deepEqual(
      files.folders.map(({ source, destination }) => [source, destination, statSync(source).mode & 0o777]),
      [
        [`${files.path}/tmp`, '/tmp', 0o700],
        [`${files.path}/var-tmp`, '/var/tmp', 0o700],
      ],
    );
    assert.equal(statSync(files.path).mode & 0o777, 0o700);
    assert.equal(files.folders[0]?.identity?.inode, String(statSync(`${files.path}/tmp`).ino));
    await removeRunDirectory(files.path);
    assert.equal(existsSync(files.path), false);
  });

  it('says where it could not', async () => {
    const none = createTemporaryFiles([join(folder(), 'missing')], () => Promise.resolve());
    await assert.rejects(none, (error) => {
      assert(error instanceof UserError);
      assert.match(error.message, /missing/);
      return true;
    });
  });
});

describe('findTemporaryParents', () => {
  it('knows both places', async () => {
    assert.deepEqual((await findTemporaryParents()).sort(), ['/tmp', '/var/tmp']);
  });
});

describe('isWithoutExecution', () => {
  const mountinfo = `1 0 8:1 / / rw - ext4 /dev/a rw
2 1 8:2 / /tmp rw,nosuid,noexec - ext4 /dev/b rw
3 2 8:3 / /tmp/x rw - ext4 /dev/c rw
`;
  it('asks the mount that a path is on', () => {
    assert.equal(isWithoutExecution('/tmp', mountinfo), true);
    assert.equal(isWithoutExecution('/tmp/x', mountinfo), false);
    assert.equal(isWithoutExecution('/var/tmp', mountinfo), false);
    assert.equal(isWithoutExecution('/tmp', `${mountinfo}4 1 0:9 / /tmp rw - tmpfs t rw\n`), false);
  });
});
