import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordImage } from '../../../src/apptainer/imageIntegrity';
import { ImageRecords } from '../../../src/apptainer/imageRecords';
import { OpencodeCopies } from '../../../src/apptainer/opencodeCopies';
import { prepareSandbox } from '../../../src/launch/prepare';
import type { PrepareRequest } from '../../../src/launch/prepareRequest';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { sifHeader } from '../../support/sifHeader';
import { useTemporaryFolder, writeProgram } from '../../support/temporaryFolder';

describe('prepareSandbox, for a start that is faster', () => {
  const root = useTemporaryFolder();
  const at = (...names: string[]): string => join(root(), ...names);
  const uid = process.getuid?.() ?? -1;

  beforeEach(() => {
    for (const name of ['home/project', 'programs', 'runtime']) {
      mkdirSync(at(name), { recursive: true, mode: 0o700 });
    }
    writeFileSync(at('image.sif'), sifHeader);
    writeProgram(at('programs', 'apptainer'), 'echo apptainer version 1.4.5');
  });

  async function specify(
    more: Partial<PrepareRequest> = {},
    opencodeCopy?: boolean,
  ): Promise<SandboxSpecification> {
    const { specification } = await prepareSandbox({
      kind: 'agent',
      workspace: at('home', 'project'),
      settings: {
        ...{ apptainerPath: at('programs', 'apptainer'), image: at('image.sif') },
        ...{ agentHome: 'workspace', network: 'open', detachedTimeoutMilliseconds: 1000 },
        temporaryFilesLimitBytes: 5e8,
        ...(opencodeCopy === undefined ? {} : { opencodeCopy }),
      },
      ...{ ptyModules: ['/modules/node-pty'], storageDirectory: at('storage'), serverFolders: [] },
      environment: { HOME: at('home'), XDG_RUNTIME_DIR: at('runtime') },
      // root is refused
      ...{ platform: 'linux', uid: uid === 0 ? 1000 : uid },
      ...more,
    });
    return specification;
  }

  it('is what it was before where there is no copy and no model', async () => {
    const keys = Object.keys(await specify({}, true));
    assert.deepEqual(keys, Object.keys(await specify()));
    assert.equal(keys.includes('opencodeCopy') || keys.includes('withoutCatalogue'), false);
  });

  it('has the copy of opencode that is as it was recorded, where it is wanted and used', async () => {
    const record = await recordImage(new ImageRecords(at('storage')), at('image.sif'), {});
    const copies = new OpencodeCopies(at('storage', 'opencode'), uid);
    mkdirSync(copies.folder, { mode: 0o700 });
    writeFileSync(copies.pathOf(record.sha256), 'a program', { mode: 0o500 });
    const destination = '/usr/bin/opencode';
    await copies.record({ imageSha256: record.sha256, destination, sha256: record.sha256 });
    const copy = await copies.find(record);
    assert.ok(copy);
    assert.deepEqual((await specify({}, true)).opencodeCopy, copy);
    assert.deepEqual((await specify({ kind: 'shell' }, true)).opencodeCopy, copy);
    assert.equal((await specify({ kind: 'run', program: ['python3'] }, true)).opencodeCopy, undefined);
    assert.equal((await specify({}, false)).opencodeCopy, undefined);
    utimesSync(copies.pathOf(record.sha256), 1, 1);
    assert.equal((await specify({}, true)).opencodeCopy, undefined);
  });

  it('does without opencode’s catalogue only when the project brings its models', async () => {
    assert.equal((await specify()).withoutCatalogue, undefined);
    const site = { npm: '@ai-sdk/openai-compatible', models: { big: {} } };
    writeFileSync(at('home', 'project', 'opencode.json'), JSON.stringify({ provider: { site } }));
    assert.equal((await specify()).withoutCatalogue, true);
  });
});
