import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { oursTarget } from '../../scripts/probes/targets';
import { keepCopy } from '../../src/apptainer/copyOpencode';
import { recordImage } from '../../src/apptainer/imageIntegrity';
import { ImageRecords } from '../../src/apptainer/imageRecords';
import { copyFolder, OpencodeCopies } from '../../src/apptainer/opencodeCopies';
import { apptainer, image } from '../support/environment';
import { details, isOpen, notHeld, runOn } from './support/battery';
import { TestFolders } from './support/sandboxUnderTest';
import { targetParts } from './support/unverifiedTarget';

describe('the escape battery, with a copy of opencode', () => {
  let folders: TestFolders;
  let storage: string;

  before(async () => {
    folders = new TestFolders();
    storage = join(folders.root, 'storage');
    const record = await recordImage(new ImageRecords(storage), realpathSync(image()), {});
    const uid = process.getuid?.() ?? -1;
    const copies = new OpencodeCopies((await copyFolder(storage, uid)) ?? storage, uid);
    const { signal } = new AbortController();
    const request = { copies, apptainer: apptainer(), image: record, environment: process.env, signal };
    assert.equal(await keepCopy(request), 'made');
  });
  after(() => folders.remove());

  it('is held', async () => {
    const target = await oursTarget({ ...targetParts(), storageWithCopy: storage });
    const judged = await runOn(target);
    const failed = notHeld(judged).filter((id) => !isOpen(id));
    assert.deepEqual(failed, [], details(judged, failed));
    assert.ok(target.specification?.opencodeCopy);
  });
});
