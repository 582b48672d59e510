import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../../src/host/fileDigest';
import { identify } from '../../../src/host/fileIdentity';
import { hashFile, isSameContent } from '../../../src/host/hashFile';
import { UnsafeFileError } from '../../../src/host/safeFiles';
import { Cancelled } from '../../../src/sandbox/userError';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('hashFile', () => {
  const folder = useTemporaryFolder();

  it('hashes what is longer than one read', async () => {
    const path = join(folder(), 'file');
    writeFileSync(path, Buffer.alloc(3_000_001, 'a'));
    const { sha256, identity } = await hashFile(path);
    // head -c 3000001 /dev/zero | tr '\0' a | sha256sum
    assert.equal(sha256, '71b1401c2645810a611615bae0fce7b308f0ed904a54af8ec8be0fe435581611');
    assert.deepEqual(identity, await identify(path));
  });

  it('waits for nobody at a FIFO', async () => {
    const path = join(folder(), 'fifo');
    execFileSync('mkfifo', [path]);
    for (const read of [hashFile, digestOf]) await assert.rejects(read(path), UnsafeFileError);
  });

  it('can be cancelled', async () => {
    const path = join(folder(), 'file');
    writeFileSync(path, 'a');
    await assert.rejects(hashFile(path, AbortSignal.abort()), Cancelled);
  });
});

describe('isSameContent', () => {
  const identity = { device: '1', inode: '2', size: '3', changedTime: '4' };

  it('looks at everything but the device', () => {
    assert.equal(isSameContent(identity, { ...identity, device: '9' }), true);
    for (const name of ['inode', 'size', 'changedTime']) {
      assert.equal(isSameContent(identity, { ...identity, [name]: '9' }), false, name);
    }
  });
});
