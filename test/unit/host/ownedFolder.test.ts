import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { makeOwnedFolder, ownerMark, sweepLeft } from '../../../src/host/ownedFolder';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('sweepLeft', () => {
  const folder = useTemporaryFolder();
  const random = '0123456789abcdef';

  /** The mark that a process had which has ended. */
  async function deadMark(): Promise<string> {
    const { pid } = spawnSync('/bin/true');
    const [machine, boot] = (await ownerMark()).split('-');
    return `${machine}-${boot}-${pid}-1`;
  }

  async function left(make: (path: string) => void, name: string): Promise<boolean> {
    const path = join(folder(), name);
    make(path);
    await sweepLeft(folder());
    return existsSync(path);
  }

  it('removes what a dead process left, however it is', async () => {
    const mark = await deadMark();
    const unpacked = (path: string): void => {
      mkdirSync(join(path, 'build-temp/rootfs'), { recursive: true });
      writeFileSync(join(path, 'build-temp/rootfs/file'), '');
      chmodSync(join(path, 'build-temp/rootfs'), 0);
    };
    assert.equal(await left(unpacked, `sandboxed-agent-pull-${mark}-aB3dE6`), false);
    assert.equal(
      await left((path) => writeFileSync(path, 'part'), `opencode.sif.${mark}.${random}.partial`),
      false,
    );
  });

  it('removes what was left before the computer was started again', async () => {
    const [machine, , pid, startTime] = (await ownerMark()).split('-');
    const earlier = `${machine}-00000000-${pid}-${startTime}`;
    const name = `sandboxed-agent-bare-${earlier}-aB3dE6`;
    // made since: by another machine of the same name
    assert.equal(await left(mkdirSync, name), true);
    assert.equal(await left((path) => utimesSync(path, 1, 1), name), false);
  });

  it('leaves what a process uses that lives', async () => {
    const own = await makeOwnedFolder(folder(), 'digest');
    const partial = join(folder(), `a.sif.${await ownerMark()}.${random}.partial`);
    writeFileSync(partial, '');
    await sweepLeft(folder());
    assert.deepEqual(readdirSync(folder()).sort(), [basename(own), basename(partial)].sort());
  });

  it('takes a pid that another process got for that of a dead one', async () => {
    const [machine, boot, pid] = (await ownerMark()).split('-');
    assert.equal(await left(mkdirSync, `sandboxed-agent-pull-${machine}-${boot}-${pid}-1-aB3dE6`), false);
  });

  it('leaves what is of another machine, and what only looks like ours', async () => {
    const mark = await deadMark();
    const elsewhere = mark.replace(/^[0-9a-f]{8}/, '00000000');
    for (const name of [
      `sandboxed-agent-pull-${elsewhere}-aB3dE6`,
      `x-sandboxed-agent-pull-${mark}-aB3dE6`,
      `sandboxed-agent-pull-${mark}-aB3dE6.kept`,
      'sandboxed-agent-0123abcd',
    ]) {
      assert.equal(await left(mkdirSync, name), true, name);
    }
  });

  it('follows no link, and removes no file of another kind', async () => {
    const mark = await deadMark();
    const precious = join(folder(), 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'file'), '');
    const link = (path: string): void => symlinkSync(precious, path);
    assert.equal(await left(link, `sandboxed-agent-pull-${mark}-aB3dE6`), true);
    assert.equal(await left(mkdirSync, `a.sif.${mark}.${random}.partial`), true);
    assert.deepEqual(readdirSync(precious), ['file']);
  });

  it('does not mind a folder that is not there', async () => {
    await sweepLeft(join(folder(), 'missing'));
  });
});
