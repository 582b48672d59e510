import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findApptainer, type FindRequest, type FoundApptainer } from '../../../src/apptainer/find';
import { Cancelled, UserError } from '../../../src/sandbox/userError';
import { useTemporaryFolder, writeProgram } from '../../support/temporaryFolder';

describe('findApptainer', () => {
  const folder = useTemporaryFolder();

  function program(name: string, output = 'apptainer version 1.4.5'): string {
    return writeProgram(join(folder(), name), `echo '${output}'`);
  }

  function find(request: Partial<FindRequest>): Promise<FoundApptainer> {
    return findApptainer({ forbiddenFolders: [], environment: {}, ...request });
  }

  async function refuses(code: string, request: Partial<FindRequest>): Promise<UserError> {
    const error = await find(request).then(
      () => assert.fail('nothing was refused'),
      (reason: unknown) => reason,
    );
    assert(error instanceof UserError, String(error));
    assert.equal(error.code, `apptainer.${code}`);
    assert.deepEqual(error.action, { kind: 'openSetting', setting: 'sandboxedAgent.apptainerPath' });
    return error;
  }

  it('takes the one of the setting, resolved, and asks for its version', async () => {
    const real = program('real');
    symlinkSync(real, join(folder(), 'link'));
    const found = await find({ configuredPath: join(folder(), 'link'), usualPlaces: [program('usual')] });
    assert.equal(found.path, real);
    assert.equal(found.version.text, '1.4.5');
  });

  it('runs it in an environment of our making, and in no folder of the user’s', async () => {
    const log = join(folder(), 'log');
    const path = writeProgram(
      join(folder(), 'apptainer'),
      `{ pwd; /usr/bin/env; echo "$@"; } >'${log}'\necho apptainer version 1.4.5`,
    );
    await find({
      configuredPath: path,
      environment: { HOME: '/home/x', APPTAINER_BIND: '/etc', PATH: '/evil' },
    });
    const lines = readFileSync(log, 'utf8').split('\n');
    assert.deepEqual(
      [lines[0], lines.includes('HOME=/home/x'), lines.includes('--version')],
      ['/', true, true],
    );
    assert.doesNotMatch(lines.join('\n'), /APPTAINER_BIND|evil/);
  });

  it('asks once, and again when the file is another', async () => {
    const asked = join(folder(), 'asked');
    const write = (name: string, version: string): string =>
      writeProgram(join(folder(), name), `echo >>'${asked}'\necho apptainer version ${version}`);
    const configuredPath = write('apptainer', '1.4.5');
    for (let time = 0; time < 3; time++) {
      assert.equal((await find({ configuredPath })).version.text, '1.4.5');
    }
    assert.equal(readFileSync(asked, 'utf8'), '\n');
    renameSync(write('other', '1.4.6'), configuredPath);
    assert.equal((await find({ configuredPath })).version.text, '1.4.6');
    write('apptainer', '1.0.0');
    await refuses('tooOld', { configuredPath });
    // what was refused is not remembered as anything else
    await refuses('tooOld', { configuredPath });
  });

  it('does not fall back when the one of the setting can’t be used', async () => {
    const usualPlaces = [program('usual')];
    const error = await refuses('notFound', { configuredPath: join(folder(), 'missing'), usualPlaces });
    assert.match(error.message, /missing.*sandboxedAgent\.apptainerPath/);
    await refuses('notAbsolute', { configuredPath: 'apptainer', usualPlaces });
    await refuses('notAbsolute', { configuredPath: '/a\0b', usualPlaces });
    await refuses('notExecutable', { configuredPath: folder(), usualPlaces });
  });

  it('refuses a file that is no program', async () => {
    const path = join(folder(), 'apptainer');
    writeFileSync(path, 'echo apptainer version 1.4.5', { mode: 0o644 });
    await refuses('notExecutable', { configuredPath: path });
    writeFileSync(path, '#!/no/such/interpreter\n');
    chmodSync(path, 0o755);
    await refuses('notExecutable', { configuredPath: path });
  });

  it('refuses one that an agent could replace, without running it', async () => {
    const workspace = join(folder(), 'workspace');
    mkdirSync(workspace);
    const log = join(folder(), 'ran');
    const inside = writeProgram(join(workspace, 'apptainer'), `touch '${log}'; echo apptainer version 1.4.5`);
    const forbiddenFolders = ['/other', workspace];
    await refuses('replaceable', { configuredPath: inside, forbiddenFolders });
    symlinkSync(inside, join(folder(), 'link'));
    await refuses('replaceable', { configuredPath: join(folder(), 'link'), forbiddenFolders });
    await refuses('replaceable', { usualPlaces: [inside], forbiddenFolders });
    assert.throws(() => readFileSync(log), /ENOENT/);
  });

  it('refuses one that is reached through a link in the workspace', async () => {
    const workspace = join(folder(), 'workspace');
    mkdirSync(workspace);
    symlinkSync(program('outside'), join(workspace, 'link'));
    symlinkSync(join(workspace, 'link'), join(folder(), 'link'));
    await refuses('replaceable', { configuredPath: join(folder(), 'link'), forbiddenFolders: [workspace] });
  });

  it('refuses one that everybody can change', async () => {
    const path = program('apptainer');
    chmodSync(path, 0o757);
    await refuses('replaceable', { configuredPath: path });
  });

  it('refuses one whose folder would fall into two on PATH', async () => {
    mkdirSync(join(folder(), 'a:b'));
    await refuses('colonInPath', { configuredPath: program('a:b/apptainer') });
  });

  it('refuses old ones and Singularity by name', async () => {
    const old = await refuses('tooOld', { configuredPath: program('old', 'apptainer version 1.1.9-1.el8') });
    assert.match(old.message, /^Apptainer 1\.1\.9-1\.el8 at .* 1\.2 /);
    const other = await refuses('notApptainer', {
      configuredPath: program('other', 'singularity-ce version 4.1.0'),
    });
    assert.match(other.message, /Singularity/);
    await refuses('notApptainer', { configuredPath: program('silent', '') });
  });

  it('takes the first of the usual places that can be used', async () => {
    const usualPlaces = [
      join(folder(), 'missing'),
      program('old', 'apptainer version 1.0.0'),
      program('new'),
    ];
    assert.equal((await find({ configuredPath: '', usualPlaces })).path, join(folder(), 'new'));
  });

  it('says what is wrong with the first, when none can be used', async () => {
    const usualPlaces = [
      join(folder(), 'missing'),
      program('old', 'apptainer version 1.0.0'),
      program('s', 'singularity version 3.8'),
    ];
    await refuses('tooOld', { usualPlaces });
  });

  it('says where it looked when there is none', async () => {
    const error = await refuses('notFound', {
      usualPlaces: ['/missing/bin/apptainer', '/missing/bin/singularity'],
    });
    assert.match(error.message, /\(\/missing\/bin\/apptainer\)/);
  });

  it('can be cancelled', async () => {
    await assert.rejects(
      find({ configuredPath: program('apptainer'), signal: AbortSignal.abort() }),
      Cancelled,
    );
  });
});
