import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  imageState,
  recordDigest,
  recordImage,
  recordMadeImage,
  refuseChangedImage,
} from '../../../src/apptainer/imageIntegrity';
import { hashFile } from '../../../src/host/hashFile';
import { ImageRecords, type ImageRecord } from '../../../src/apptainer/imageRecords';
import { UserError } from '../../../src/sandbox/userError';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('the record of an image', () => {
  const folder = useTemporaryFolder();
  let records: ImageRecords;
  let image: string;
  let record: ImageRecord;

  beforeEach(async () => {
    records = new ImageRecords(join(folder(), 'storage'));
    image = join(folder(), 'image.sif');
    writeFileSync(image, 'what was pulled');
    record = await recordImage(records, image, { source: 'docker://example.org/a' });
  });

  async function refuses(): Promise<void> {
    await assert.rejects(refuseChangedImage(records, image), (error: unknown) => {
      assert(error instanceof UserError, String(error));
      assert.equal(error.code, 'image.changed');
      assert.deepEqual(error.action, { kind: 'runCommand', command: 'sandboxedAgent.selectImage' });
      return true;
    });
  }

  it('lets the image pass that it is about, without reading it', async () => {
    await refuseChangedImage(records, image);
    // a hash that can't be right would be noticed by reading
    await records.write({ ...record, sha256: '0'.repeat(64) });
    await refuseChangedImage(records, image);
    assert.equal(await imageState(record), 'same');
  });

  it('gets the digest of its source later', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    assert.equal((await recordDigest(records, record, digest))?.digest, digest);
    assert.deepEqual(await records.read(image), { ...record, digest });
    assert.deepEqual(await recordDigest(records, record, undefined), { ...record, digest });
  });

  it('stays that of another window, which has put its image in the same place meanwhile', async () => {
    // with the record written back as a whole, the image of the other window would be refused
    const other = join(folder(), 'other');
    writeFileSync(other, 'what another window pulled');
    const inspected = await hashFile(other);
    renameSync(other, image);
    const theirs = await recordMadeImage(records, image, { source: 'docker://example.org/b' }, inspected);
    assert.deepEqual(await recordDigest(records, record, `sha256:${'a'.repeat(64)}`), theirs);
    assert.deepEqual(await records.read(image), theirs);
    await refuseChangedImage(records, image);
  });

  it('of an image that was forgotten meanwhile does not come back', async () => {
    await records.remove(image);
    assert.equal(await recordDigest(records, record, `sha256:${'a'.repeat(64)}`), undefined);
    assert.equal(await records.read(image), undefined);
  });

  it('refuses other content, even of the same size and with the time set back', async () => {
    const { atime, mtime } = statSync(image);
    writeFileSync(image, 'what was PULLED');
    utimesSync(image, atime, mtime);
    await refuses();
    assert.equal(await imageState(record), 'touched');
  });

  it('refuses another file in its place', async () => {
    const other = join(folder(), 'other');
    writeFileSync(other, 'something else');
    renameSync(other, image);
    await refuses();
    // and still does, however often it is asked
    await refuses();
  });

  it('lets the same content pass in a new file, and reads that only once', async () => {
    const copy = join(folder(), 'copy');
    copyFileSync(image, copy);
    renameSync(copy, image);
    await refuseChangedImage(records, image);
    const renewed = await records.read(image);
    assert(renewed);
    assert.deepEqual([renewed.source, renewed.sha256], [record.source, record.sha256]);
    assert.equal(await imageState(renewed), 'same');
  });

  it('says nothing of an image that was never recorded', async () => {
    await refuseChangedImage(records, join(folder(), 'never'));
    assert.equal(await records.read(join(folder(), 'never')), undefined);
  });

  it('is listed with the others, the latest first, and is gone when it is removed', async () => {
    const later = join(folder(), 'later.sif');
    writeFileSync(later, 'later');
    await records.write({ ...record, path: later, recordedAt: record.recordedAt + 1 });
    assert.deepEqual(
      (await records.list()).map(({ path }) => path),
      [later, image],
    );
    await records.remove(later);
    assert.deepEqual(
      (await records.list()).map(({ path }) => path),
      [image],
    );
  });

  it('does not take what is no record for one', async () => {
    const place = join(folder(), 'storage', 'imageRecords');
    const [name = ''] = readdirSync(place);
    assert.equal(statSync(join(place, name)).mode & 0o777, 0o600);
    for (const content of ['', '{', '{}', JSON.stringify({ ...record, sha256: 'x' })]) {
      writeFileSync(join(place, name), content);
      assert.equal(await records.read(image), undefined);
    }
    // one of another image by this one's name
    writeFileSync(join(place, name), JSON.stringify({ ...record, path: '/other' }));
    assert.equal(await records.read(image), undefined);
    mkdirSync(join(place, `${'a'.repeat(64)}.json`));
    assert.equal((await records.list()).length, 1);
  });
});
