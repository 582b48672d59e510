import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { settingName, type SettingKey } from '../../../src/contributions';
import { defaultProtectedPaths } from '../../../src/sandbox/protectedPaths';
import { UserError } from '../../../src/sandbox/userError';
import { readSettings, type SettingsReader } from '../../../src/ui/settings';
import { projectFile } from '../../support/projectFile';

interface Values {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** Settings as VS Code gives them: the defaults of the manifest, and what was set. */
function reader(values: Partial<Record<SettingKey, Values>> = {}): SettingsReader {
  const manifest = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as {
    contributes: { configuration: { properties: Record<string, { default: unknown }> } };
  };
  const { properties } = manifest.contributes.configuration;
  return {
    inspect: <T>(key: string) => ({
      key,
      defaultValue: properties[settingName(key as SettingKey)]?.default as T,
      ...(values[key as SettingKey] as { globalValue?: T }),
    }),
  };
}

describe('readSettings', () => {
  it('has defaults', () => {
    assert.deepEqual(readSettings(reader()), {
      analysisImage: '',
      apptainerPath: '',
      pullFolders: { cache: '', temporary: '' },
      image: '',
      imageSource: 'docker://ghcr.io/anomalyco/opencode',
      agentHome: 'workspace',
      network: 'restricted',
      detachedTimeoutMilliseconds: 3 * 60 * 60 * 1000,
      temporaryFilesLimitBytes: 2 ** 31,
      mayWriteClipboard: false,
      permission: 'allow',
      environment: {},
      git: 'readOnly',
      protectedPaths: [...defaultProtectedPaths],
      undo: { folder: '', maximumBytes: 256 * 2 ** 20, respectsIgnoreFiles: true },
      opencodeCopy: true,
    });
  });

  it('takes what is executed or bound from the user only', () => {
    const byWorkspace = { workspaceValue: '/evil', workspaceFolderValue: '/evil' };
    const settings = readSettings(
      reader({
        apptainerPath: byWorkspace,
        apptainerCacheFolder: { globalValue: '/scratch/cache', ...byWorkspace },
        apptainerTemporaryFolder: byWorkspace,
        image: { globalValue: '/mine.sif', ...byWorkspace },
        agentHome: byWorkspace,
      }),
    );
    assert.equal(settings.apptainerPath, '');
    assert.deepEqual(settings.pullFolders, { cache: '/scratch/cache', temporary: '' });
    assert.equal(settings.image, '/mine.sif');
    assert.equal(settings.agentHome, 'workspace');
  });

  const networks: readonly [Values, 'open' | 'none'][] = [
    [{ globalValue: 'none' }, 'none'],
    [{ workspaceValue: 'none' }, 'none'],
    [{ globalValue: 'none', workspaceValue: 'open', workspaceFolderValue: 'open' }, 'none'],
    [{ globalValue: 'open', workspaceFolderValue: 'none' }, 'none'],
    [{ globalValue: 'open', workspaceValue: 'open' }, 'open'],
  ];
  for (const [network, expected] of networks) {
    it(`takes the strictest network of ${JSON.stringify(network)}`, () => {
      assert.equal(readSettings(reader({ network })).network, expected);
    });
  }

  const invalid: readonly [SettingKey, Values][] = [
    ['network', { workspaceValue: 'everything' }],
    ['network', { globalValue: null }],
    ['image', { globalValue: 5 }],
    ['imageSource', { globalValue: ['docker://x'] }],
    ['apptainerCacheFolder', { globalValue: null }],
    ['apptainerTemporaryFolder', { globalValue: 5 }],
    ['detachedTimeoutMinutes', { globalValue: -1 }],
    ['detachedTimeoutMinutes', { globalValue: '5' }],
    ['detachedTimeoutMinutes', { globalValue: 1e9 }],
    ['temporaryFilesLimit', { globalValue: 63 }],
    ['temporaryFilesLimit', { globalValue: Infinity }],
    ['temporaryFilesLimit', { globalValue: '2048' }],
    ['clipboard', { globalValue: 'read' }],
    ['clipboard', { globalValue: true }],
    ['permission', { workspaceFolderValue: 'never' }],
    ['git', { globalValue: 'off' }],
    ['protectedPaths', { workspaceValue: ['/etc'] }],
    ['protectedPaths', { globalValue: ['a/../b'] }],
    ['protectedPaths', { globalValue: ['*'] }],
    ['protectedPaths', { globalValue: '.vscode' }],
    ['protectedPaths', { workspaceFolderValue: [5] }],
    ['environment', { globalValue: ['A'] }],
    ['environment', { globalValue: { A: 1 } }],
    ['environment', { globalValue: { LD_PRELOAD: '/x.so' } }],
  ];
  for (const [key, values] of invalid) {
    it(`refuses ${key} ${JSON.stringify(values)} and opens the setting`, () => {
      assert.throws(
        () => readSettings(reader({ [key]: values })),
        (error) => {
          assert(error instanceof UserError);
          assert.deepEqual(error.action, { kind: 'openSetting', setting: settingName(key) });
          return true;
        },
      );
    });
  }

  it('lets only the user open the clipboard', () => {
    const clipboard = (values: Values): boolean =>
      readSettings(reader({ clipboard: values })).mayWriteClipboard;
    assert.equal(clipboard({ workspaceValue: 'write', workspaceFolderValue: 'write' }), false);
    assert.equal(clipboard({ globalValue: 'write' }), true);
  });

  it('stops at once when the time-out is 0', () => {
    assert.equal(
      readSettings(reader({ detachedTimeoutMinutes: { globalValue: 0 } })).detachedTimeoutMilliseconds,
      0,
    );
  });

  it('lets a workspace make the agent ask more often, but not less', () => {
    const permission = (values: Values): string => readSettings(reader({ permission: values })).permission;
    assert.equal(permission({ workspaceValue: 'askEdits' }), 'askEdits');
    assert.equal(permission({ globalValue: 'askAll', workspaceFolderValue: 'allow' }), 'askAll');
    assert.equal(permission({ globalValue: 'askEdits', workspaceFolderValue: 'askAll' }), 'askAll');
  });

  it('lets a workspace protect more, but not less', () => {
    const git = (values: Values): string => readSettings(reader({ git: values })).git;
    assert.equal(git({ workspaceValue: 'writable' }), 'readOnly');
    assert.equal(git({ globalValue: 'writable' }), 'writable');
    assert.equal(git({ globalValue: 'writable', workspaceFolderValue: 'readOnly' }), 'readOnly');
    const paths = (values: Values): readonly string[] =>
      readSettings(reader({ protectedPaths: values })).protectedPaths;
    assert.deepEqual(paths({ workspaceValue: [] }), [...defaultProtectedPaths]);
    assert.deepEqual(paths({ globalValue: ['one'], workspaceValue: ['two'] }), ['one', 'two']);
    assert.deepEqual(paths({ globalValue: [] }), []);
  });

  it('takes variables for the agent from the user only', () => {
    const environment = (values: Values): unknown =>
      readSettings(reader({ environment: values })).environment;
    assert.deepEqual(environment({ workspaceValue: { A: 'x' }, workspaceFolderValue: { A: 'x' } }), {});
    assert.deepEqual(environment({ globalValue: { A: 'x', B: null } }), { A: 'x', B: null });
  });

  it('keeps for undo what the user says, and nothing that a workspace says', () => {
    const settings = readSettings(
      reader({
        undoFolder: { globalValue: '/scratch/me', workspaceValue: '/data/project' },
        undoMegabytes: { globalValue: 0.5, workspaceValue: 0 },
        undoIgnoredFiles: { globalValue: true, workspaceFolderValue: false },
      }),
    );
    const { undo } = settings;
    assert.deepEqual(undo, { folder: '/scratch/me', maximumBytes: 2 ** 19, respectsIgnoreFiles: false });
    for (const [key, globalValue] of [
      ['undoFolder', 'relative'],
      ['undoMegabytes', -1],
      ['undoMegabytes', '256'],
    ] as const) {
      assert.throws(() => readSettings(reader({ [key]: { globalValue } })), { code: 'setting.invalid' });
    }
  });

  it('keeps a copy of opencode unless the user does not want it', () => {
    const opencodeCopy = (values: Values): boolean =>
      readSettings(reader({ opencodeCopy: values })).opencodeCopy;
    assert.equal(opencodeCopy({ workspaceValue: false }), true);
    assert.equal(opencodeCopy({ globalValue: false }), false);
    assert.equal(opencodeCopy({ globalValue: 'yes' }), false);
  });
});
