import assert from 'node:assert/strict';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { statSync as statOf, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { failedLately, failurePath, noteFailure } from '../../../src/apptainer/copyFailures';
import { recordImage } from '../../../src/apptainer/imageIntegrity';
import { type ImageRecord, ImageRecords } from '../../../src/apptainer/imageRecords';
import { findOpencodeCopy, localCopyFolders, OpencodeCopies } from '../../../src/apptainer/opencodeCopies';
import { identify } from '../../../src/host/fileIdentity';
import { digestOf } from '../../../src/host/fileDigest';
import { isCopyDestination, isMountedIn } from '../../../src/sandbox/opencodeCopy';
import { useTemporaryFolder } from '../../support/temporaryFolder';

const destination = '/usr/local/bin/opencode';
const uid = process.getuid?.() ?? -1;

describe('the copy of an image’s opencode', () => {
  const folder = useTemporaryFolder();
  const workspace = '/data/project';
  let copies: OpencodeCopies;
  let image: ImageRecord;
  let path: string;

  beforeEach(async () => {
    const storage = join(folder(), 'storage');
    const sif = join(folder(), 'image.sif');
    writeFileSync(sif, 'an image');
    image = await recordImage(new ImageRecords(storage), sif, {});
    copies = new OpencodeCopies(join(storage, 'opencode'), uid);
    mkdirSync(copies.folder, { mode: 0o700 });
    path = copies.pathOf(image.sha256);
    writeFileSync(path, 'a program', { mode: 0o500 });
    await copies.record({ imageSha256: image.sha256, destination, sha256: await digestOf(path) });
  });

  const find = () => copies.find(image, workspace);

  it('is found as it was recorded', async () => {
    assert.deepEqual(await find(), { path, destination, identity: await identify(path) });
    const request = { storageDirectory: dirname(copies.folder), uid, workspace };
    const now = { path: image.path, identity: image.identity };
    assert.deepEqual(await findOpencodeCopy({ ...request, image: now }), await find());
    assert.equal(await copies.verify(image), true);
    // an image that was touched since, or that has no record
    const touched = { ...now, identity: { ...now.identity, changedTime: '1' } };
    assert.equal(await findOpencodeCopy({ ...request, image: touched }), undefined);
    assert.equal(await findOpencodeCopy({ ...request, image: { ...now, path: '/other.sif' } }), undefined);
  });

  const tampering: readonly (readonly [string, () => void])[] = [
    [
      'other content of the same size and time',
      () => {
        chmodSync(path, 0o700);
        const { mtime, atime } = statOf(path);
        writeFileSync(path, 'A program');
        utimesSync(path, atime, mtime);
        chmodSync(path, 0o500);
      },
    ],
    [
      'another file in its place',
      () => {
        const other = join(folder(), 'other');
        writeFileSync(other, 'a program', { mode: 0o500 });
        renameSync(other, path);
      },
    ],
    ['other permissions, and back', () => (chmodSync(path, 0o700), chmodSync(path, 0o500))],
    ['a second name', () => linkSync(path, join(folder(), 'second'))],
    [
      'a link in its place',
      () => {
        renameSync(path, join(folder(), 'moved'));
        symlinkSync(join(folder(), 'moved'), path);
      },
    ],
    ['a folder that others can read', () => chmodSync(copies.folder, 0o755)],
    ['no record', () => writeFileSync(recordPath(), '{}')],
    ['a record of another image', () => changeRecord({ imageSha256: '0'.repeat(64) })],
    ['a record with another owner’s time', () => changeRecord({ modifiedTime: '1' })],
    ['a record that says another place', () => changeRecord({ destination: '/run/sandboxed-agent/gate' })],
  ];
  for (const [what, tamper] of tampering) {
    it(`does not count with ${what}`, async () => {
      assert.ok(await find());
      tamper();
      assert.equal(await find(), undefined);
    });
  }

  it('does not count for somebody else, nor where it would lie in the workspace', async () => {
    assert.equal(await new OpencodeCopies(copies.folder, uid + 1).find(image), undefined);
    assert.equal(await copies.find(image, '/usr/local'), undefined);
  });

  it('is removed when it holds something else, and so are those of images that nobody knows', async () => {
    changeRecord({ sha256: '0'.repeat(64) });
    assert.ok(await find());
    assert.equal(await copies.verify(image), false);
    assert.deepEqual(readdirSync(copies.folder), []);
    writeFileSync(path, 'x', { mode: 0o500 });
    await copies.record({ imageSha256: image.sha256, destination, sha256: image.sha256 });
    await copies.removeOthers([image], folder());
    assert.ok(existsSync(path));
    await noteFailure(copies.folder, image.sha256, 'noProgram');
    await copies.removeOthers([{ sha256: '1'.repeat(64) }], folder());
    assert.deepEqual(readdirSync(copies.folder), []);
  });

  it('stays where editors share a folder, as long as one of them uses it', async () => {
    const others = [[], join(folder(), 'another editor')] as const;
    await copies.removeOthers(...others);
    assert.ok(await find());
    const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    utimesSync(recordPath(), longAgo, longAgo);
    // a start of an agent in that other editor
    assert.equal(await copies.verify(image), true);
    await copies.removeOthers(...others);
    assert.ok(await find());
    utimesSync(recordPath(), longAgo, longAgo);
    await copies.removeOthers(...others);
    assert.deepEqual(readdirSync(copies.folder), []);
  });

  it('is not tried again by another editor either, until long after', async () => {
    const missing = '2'.repeat(64);
    await noteFailure(copies.folder, missing, 'noProgram');
    await copies.removeOthers([image], join(folder(), 'another editor'));
    assert.equal(await failedLately(copies.folder, missing), 'noProgram');
    const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    utimesSync(failurePath(copies.folder, missing), longAgo, longAgo);
    await copies.removeOthers([image], join(folder(), 'another editor'));
    assert.equal(existsSync(failurePath(copies.folder, missing)), false);
  });

  it('is not tried again for a week when none could be made', async () => {
    assert.equal(await failedLately(copies.folder, image.sha256), undefined);
    await noteFailure(copies.folder, image.sha256, 'doesNotRun');
    assert.equal(await failedLately(copies.folder, image.sha256), 'doesNotRun');
    await noteFailure(copies.folder, image.sha256, 'doesNotRun', Date.now() - 8 * 24 * 60 * 60 * 1000);
    assert.equal(await failedLately(copies.folder, image.sha256), undefined);
  });

  it('is in use where it is mounted, also from a file system of its own, whose paths begin there', () => {
    const lineOf = (root: string): string =>
      `612 590 8:3 ${root} ${destination} ro,nosuid,nodev - ext4 /dev/sda3 rw\n`;
    assert.ok(isMountedIn(lineOf(path), path));
    assert.ok(isMountedIn(`${lineOf('/other')}${lineOf(path.slice(folder().length))}`, path));
    assert.equal(isMountedIn(lineOf(copies.pathOf('1'.repeat(64))), path), false);
  });

  it('is never put where an image says something strange', () => {
    assert.ok(isCopyDestination('/usr/lib/node_modules/@opencode-ai/bin/opencode'));
    for (const place of [
      '/usr',
      '/usr/../etc/x',
      '/home/agent/opencode',
      '/usr/a,b',
      '/usr/a b',
      '/usr//x',
      'x',
    ]) {
      assert.equal(isCopyDestination(place), false, place);
    }
    assert.equal(isCopyDestination('/opt/work/opencode', '/opt/work'), false);
  });

  it('has a name in the folders for temporary files that is no run directory’s', () => {
    assert.deepEqual(localCopyFolders(7).map(dirname), ['/var/tmp', '/tmp']);
  });

  function recordPath(): string {
    return path.replace(/\.opencode$/, '.json');
  }

  function changeRecord(changes: object): void {
    const record = JSON.parse(readFileSync(recordPath(), 'utf8')) as object;
    writeFileSync(recordPath(), JSON.stringify({ ...record, ...changes }));
  }
});
