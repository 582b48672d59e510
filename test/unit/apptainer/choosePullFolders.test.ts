import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refusedPullFolders } from '../../../src/apptainer/choosePullFolders';
import { cacheFolder, temporaryFolder, withPullFolders } from '../../../src/apptainer/pullFolders';
import { isRoot, useTemporaryFolder } from '../../support/temporaryFolder';

describe('the folders that the user has chosen for pulls', () => {
  const folder = useTemporaryFolder();
  const at = (...names: string[]): string => join(folder(), ...names);
  beforeEach(() => {
    for (const name of ['scratch', 'project', 'project/below', 'cacheOfAnAgent']) mkdirSync(at(name));
    writeFileSync(at('file'), '');
    // an agent can lead it elsewhere
    symlinkSync(at('scratch'), at('project', 'link'));
    symlinkSync(at('project'), at('alias'));
    symlinkSync(at('project', 'below'), at('cacheOfAnAgent', 'cache'));
  });

  const refused = (cache: string, temporary: string): ReturnType<typeof refusedPullFolders> =>
    refusedPullFolders({ cache, temporary }, [at('project')]);

  it('may be any folder that this user can write and no agent can', async () => {
    assert.deepEqual(await refused('', ''), []);
    assert.deepEqual(await refused(at('scratch'), at('scratch')), []);
    // only what is cached in it is asked for, and that is elsewhere
    assert.deepEqual(await refused(folder(), folder()), []);
    assert.deepEqual(await refused('', at('cacheOfAnAgent')), []);
  });

  it('are refused otherwise, with the reason, and the setting opens', async () => {
    const reasons: readonly (readonly [string, RegExp])[] = [
      ['scratch', /must be the full path/],
      [`${at('scratch')}\0`, /must be the full path/],
      [at('missing'), /does not exist/],
      [at('file'), /is no folder/],
      ...(isRoot ? [] : ([['/usr', /may not write/]] as const)),
      ...['project', 'project/below', 'project/link', 'alias'].map(
        (name) => [at(name), /inside .*project, where an agent could change/] as const,
      ),
    ];
    for (const [path, reason] of reasons) {
      const errors = await refused(path, path);
      assert.deepEqual(
        errors.map(({ role, error }) => [role, error.code, error.action]),
        [
          ['cache', 'pull.folder', openSetting('apptainerCacheFolder')],
          ['temporary', 'pull.folder', openSetting('apptainerTemporaryFolder')],
        ],
        path,
      );
      for (const { role, error } of errors) {
        assert.match(error.message, reason);
        assert.ok(
          error.message.includes(role === 'cache' ? 'CacheFolder' : 'TemporaryFolder'),
          error.message,
        );
      }
    }
    const [cache, ...others] = await refused(at('cacheOfAnAgent'), '');
    assert.match(cache?.error.message ?? '', /inside .*project/);
    assert.deepEqual(others, []);
  });

  it('are refused where this user may not even look', async () => {
    mkdirSync(at('closed', 'below'), { recursive: true });
    chmodSync(at('closed'), 0);
    try {
      const [cache] = await refused(at('closed', 'below'), '');
      assert.match(cache?.error.message ?? '', /may not write/);
    } finally {
      chmodSync(at('closed'), 0o700);
    }
  });

  it('count instead of what the environment says, each by itself', () => {
    const said = {
      HOME: '/home/ada',
      APPTAINER_CACHEDIR: '/said',
      APPTAINER_TMPDIR: '/said',
      TMPDIR: '/tmp',
    };
    assert.deepEqual(withPullFolders(said, { cache: '', temporary: '' }), said);
    const cached = withPullFolders(said, { cache: '/chosen', temporary: '' });
    assert.deepEqual([cacheFolder(cached), temporaryFolder(cached)], ['/chosen/cache', '/said']);
    const unpacked = withPullFolders(said, { cache: '', temporary: '/chosen' });
    assert.deepEqual([cacheFolder(unpacked), temporaryFolder(unpacked)], ['/said/cache', '/chosen']);
  });
});

function openSetting(key: string): object {
  return { kind: 'openSetting', setting: `sandboxedAgent.${key}` };
}
