import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { identify } from '../../../src/host/fileIdentity';
import { readPlace } from '../../../src/host/folderFacts';
import { prepareAgentHome } from '../../../src/opencode/agentHome';
import type { Surroundings } from '../../../src/sandbox/forbiddenPlaces';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { UserError } from '../../../src/sandbox/userError';
import { useTemporaryFolder } from '../../support/temporaryFolder';

describe('prepareAgentHome', () => {
  const folder = useTemporaryFolder();
  const workspace = (): string => join(folder(), 'workspace');
  const home = (): string => join(workspace(), 'agent-home');
  const documents = (): string => join(folder(), 'documents');

  beforeEach(() => {
    mkdirSync(workspace());
    mkdirSync(documents(), { mode: 0o755 });
  });

  async function prepare(
    setting: string,
    surroundings?: Surroundings,
  ): Promise<SandboxSpecification['home']> {
    return prepareAgentHome({
      workspace: await readPlace(workspace()),
      setting,
      surroundings: surroundings ?? { homes: [], reserved: [] },
    });
  }

  async function refuses(code: string, setting = 'workspace', surroundings?: Surroundings): Promise<void> {
    await assert.rejects(prepare(setting, surroundings), (error) => {
      assert(error instanceof UserError, String(error));
      assert.equal(error.code, `home.${code}`);
      return true;
    });
  }

  const mode = (path: string): number => statSync(path).mode & 0o7777;

  it('keeps nothing with `none`', async () => {
    assert.deepEqual(await prepare('none'), { kind: 'memory' });
    assert.deepEqual(readdirSync(workspace()), []);
  });

  it('makes a closed folder that hides itself from git and from searches', async () => {
    const prepared = await prepare('workspace');
    assert.deepEqual(prepared.kind === 'folder' && prepared.folder.path, home());
    assert.equal(mode(home()), 0o700);
    assert.deepEqual(readdirSync(home()).sort(), ['.gitignore', '.ignore']);
    assert.equal(readFileSync(join(home(), '.gitignore'), 'utf8'), '*\n');
    assert.equal(readFileSync(join(home(), '.ignore'), 'utf8'), '*\n');
  });

  it('notes the identity of the folder', async () => {
    const prepared = await prepare('workspace');
    assert(prepared.kind === 'folder');
    const { device, inode } = await identify(home());
    assert.deepEqual([prepared.folder.identity.device, prepared.folder.identity.inode], [device, inode]);
  });

  it('opens the home that was made by hand in the lesson, and closes it to others', async () => {
    mkdirSync(join(home(), '.local/share/opencode'), { recursive: true });
    writeFileSync(join(home(), '.local/share/opencode/opencode.db'), 'sessions');
    writeFileSync(join(home(), '.ignore'), 'mine\n');
    chmodSync(home(), 0o755);
    await prepare('workspace');
    assert.equal(mode(home()), 0o700);
    assert.equal(readFileSync(join(home(), '.gitignore'), 'utf8'), '*\n');
    assert.equal(readFileSync(join(home(), '.ignore'), 'utf8'), 'mine\n');
    assert.equal(readFileSync(join(home(), '.local/share/opencode/opencode.db'), 'utf8'), 'sessions');
    await prepare('workspace');
  });

  it('refuses a link, and writes nothing at its end', async () => {
    symlinkSync(documents(), home());
    await refuses('symbolicLink');
    assert.deepEqual([readdirSync(documents()), mode(documents())], [[], 0o755]);
  });

  it('refuses a link that leads nowhere', async () => {
    symlinkSync(join(folder(), 'made'), home());
    await refuses('symbolicLink');
    assert.equal(existsSync(join(folder(), 'made')), false);
  });

  it('refuses a file and a FIFO', async () => {
    writeFileSync(home(), '');
    await refuses('notAFolder');
    execFileSync('/usr/bin/mkfifo', [join(workspace(), 'fifo')]);
    await refuses('notAFolder', join(workspace(), 'fifo'));
  });

  it('writes through no link in the place of an ignore file', async () => {
    mkdirSync(home());
    writeFileSync(join(documents(), 'file'), 'kept');
    symlinkSync(join(documents(), 'file'), join(home(), '.gitignore'));
    symlinkSync(join(documents(), 'made'), join(home(), '.ignore'));
    await prepare('workspace');
    assert.equal(readFileSync(join(documents(), 'file'), 'utf8'), 'kept');
    assert.equal(existsSync(join(documents(), 'made')), false);
  });

  it('makes a folder at an absolute path', async () => {
    const path = join(documents(), 'agent');
    const prepared = await prepare(path);
    assert.deepEqual(prepared.kind === 'folder' && prepared.folder.path, path);
    assert.deepEqual([mode(path), readdirSync(path)], [0o700, []]);
  });

  it('leaves the mode of a folder that the user chose', async () => {
    await prepare(documents());
    assert.equal(mode(documents()), 0o755);
  });

  it('treats a folder that the user chose in the workspace like its own', async () => {
    const path = join(workspace(), 'deep', 'home');
    mkdirSync(path, { recursive: true, mode: 0o755 });
    await prepare(path);
    assert.deepEqual([mode(path), readdirSync(path).sort()], [0o700, ['.gitignore', '.ignore']]);
  });

  it('refuses a path that a link in the workspace leads out of it', async () => {
    symlinkSync(documents(), join(workspace(), 'deep'));
    await refuses('symbolicLink', join(workspace(), 'deep', 'home'));
    symlinkSync(workspace(), join(folder(), 'alias'));
    await refuses('symbolicLink', join(folder(), 'alias', 'deep', 'home'));
    assert.deepEqual(readdirSync(documents()), []);
  });

  it('refuses what is no absolute path, and makes no folders above the home', async () => {
    await refuses('notAbsolute', 'agent-home');
    await refuses('notAbsolute', '~/agent-home');
    await refuses('notAbsolute', '');
    await refuses('notAbsolute', '/a\0b');
    await refuses('missing', join(folder(), 'missing', 'home'));
    assert.equal(existsSync(join(folder(), 'missing')), false);
  });

  it('refuses the workspace, and what no agent may have', async () => {
    await refuses('containsWorkspace', workspace());
    await refuses('containsWorkspace', folder());
    const surroundings = { homes: [await readPlace(documents())], reserved: [] };
    await refuses('home', documents(), surroundings);
    await refuses('dotFolder', join(documents(), '.agent'), surroundings);
    await refuses('systemFolder', '/etc/agent');
    assert.deepEqual(readdirSync(documents()), []);
  });
});
