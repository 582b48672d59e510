import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pullImage } from '../../src/apptainer/pull';
import { withPullFolders } from '../../src/apptainer/pullFolders';
import type { PullRequest } from '../../src/apptainer/pullRequest';
import { isSifFile } from '../../src/apptainer/sif';
import { UserError } from '../../src/sandbox/userError';
import { apptainer } from '../support/environment';
import { ImageRegistry, smallOciImage } from '../support/imageRegistry';
import { pushOciImage } from '../support/ociImage';
import { TestFolders } from './support/sandboxUnderTest';

describe('the folders of a pull', () => {
  let folders: TestFolders;
  let registry: ImageRegistry;

  before(async () => {
    folders = new TestFolders();
    for (const name of ['said', 'cache', 'temporary']) mkdirSync(at(name));
    registry = await ImageRegistry.start(at('registry'));
    const image = smallOciImage(at('content'), randomBytes(1_000_000));
    await pushOciImage(`http://${registry.host}`, 'image', '1', image);
  });
  after(async () => {
    await registry.stop();
    folders.remove();
  });

  const at = (name: string): string => join(folders.root, name);
  const request = (
    environment: PullRequest['environment'],
    more: Partial<PullRequest> = {},
  ): PullRequest => ({
    ...{ apptainer: apptainer(), source: `docker://${registry.host}/image:1`, target: at('images/x.sif') },
    environment,
    ...more,
  });
  const said = (): PullRequest['environment'] => ({
    HOME: folders.root,
    APPTAINER_CACHEDIR: at('said'),
    APPTAINER_TMPDIR: at('said'),
  });

  it('are those of the settings, and those of the environment no more', async () => {
    const used = new Set<string>();
    const onProgress = (): void => readdirSync(at('temporary')).forEach((name) => used.add(name));
    const chosen = withPullFolders(said(), { cache: at('cache'), temporary: at('temporary') });
    const pull = request(chosen, { onProgress });
    await pullImage(pull);
    assert.ok(await isSifFile(pull.target));
    assert.ok(existsSync(at('cache/cache/blob')));
    assert.equal(used.size, 1);
    assert.deepEqual(readdirSync(at('temporary')), []);
    assert.deepEqual(readdirSync(at('said')), []);
  });

  it('are looked at before a pull is started, and the setting opens of the one that has no room', async () => {
    // a file system that is never written to has none
    for (const [chosen, needs, key] of [
      [{ cache: '', temporary: '/sys' }, /needs 250 MB at \/sys, where 0 MB/, 'apptainerTemporaryFolder'],
      [{ cache: '/sys', temporary: '' }, /needs 80 MB at \/sys\/cache, where 0 MB/, 'apptainerCacheFolder'],
    ] as const) {
      const pull = request(withPullFolders(said(), chosen), { target: at('none/x.sif') });
      const error: unknown = await pullImage(pull).then(
        () => assert.fail('it did not fail'),
        (reason: unknown) => reason,
      );
      assert(error instanceof UserError, String(error));
      assert.equal(error.code, 'pull.noRoom');
      assert.match(error.message, needs);
      assert.deepEqual(error.action, { kind: 'openSetting', setting: `sandboxedAgent.${key}` });
      assert.ok(!existsSync(at('none')));
    }
  });
});
