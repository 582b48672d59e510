import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify } from '../../../src/host/fileIdentity';
import { homeKey } from '../../../src/host/homeFolderPlace';
import { findTemporaryParents } from '../../../src/host/temporaryFolder';
import { type PreparedSandbox, prepareSandbox } from '../../../src/launch/prepare';
import type { PrepareRequest } from '../../../src/launch/prepareRequest';
import { formatMessage } from '../../../src/sandbox/message';
import { parseAs } from '../../../src/sandbox/parseAs';
import { sandboxSpecification } from '../../../src/sandbox/specification';
import { UserError } from '../../../src/sandbox/userError';
import { sifHeader } from '../../support/sifHeader';
import { useTemporaryFolder, writeProgram } from '../../support/temporaryFolder';

describe('prepareSandbox', () => {
  const root = useTemporaryFolder();
  const at = (...names: string[]): string => join(root(), ...names);

  beforeEach(() => {
    for (const name of ['home/project', 'home/.ssh', 'programs', 'runtime']) {
      mkdirSync(at(name), { recursive: true, mode: 0o700 });
    }
    writeFileSync(at('image.sif'), sifHeader);
    writeProgram(at('programs', 'apptainer'), 'echo apptainer version 1.4.5');
  });

  function prepare(
    more: Partial<PrepareRequest> = {},
    settings: Partial<PrepareRequest['settings']> = {},
  ): Promise<PreparedSandbox> {
    return prepareSandbox({
      kind: 'agent',
      workspace: at('home', 'project'),
      settings: {
        apptainerPath: at('programs', 'apptainer'),
        image: at('image.sif'),
        agentHome: 'workspace',
        network: 'open',
        detachedTimeoutMilliseconds: 1000,
        temporaryFilesLimitBytes: 5e8,
        ...settings,
      },
      ptyModules: ['/modules/node-pty'],
      storageDirectory: at('storage'),
      serverFolders: [at('server')],
      environment: { HOME: at('home'), XDG_RUNTIME_DIR: at('runtime') },
      platform: 'linux',
      uid: 1000,
      ...more,
    });
  }

  async function refuses(
    code: string,
    more: Partial<PrepareRequest> = {},
    settings: Partial<PrepareRequest['settings']> = {},
  ): Promise<void> {
    await assert.rejects(prepare(more, settings), (error) => {
      assert(error instanceof UserError, String(error));
      assert.equal(error.code, code);
      return true;
    });
  }

  it('makes a specification that a supervisor understands', async () => {
    const { specification, notes } = await prepare();
    assert.deepEqual(parseAs(sandboxSpecification, JSON.parse(JSON.stringify(specification))), specification);
    const workspace = at('home', 'project');
    const { id, insideEnvironment, home, homeFolder, ...rest } = specification;
    assert.match(id, /^[0-9a-f]{16}$/);
    assert.equal(insideEnvironment['NPM_CONFIG_OFFLINE'], 'true');
    assert(home.kind === 'folder');
    assert.equal(home.folder.path, join(workspace, 'agent-home'));
    assert.equal(homeFolder, at('storage', 'homes', homeKey(home.folder)));
    assert.equal(statSync(homeFolder).mode & 0o777, 0o700);
    assert.deepEqual(rest, {
      kind: 'agent',
      apptainer: at('programs', 'apptainer'),
      image: { path: at('image.sif'), identity: await identify(at('image.sif')) },
      workspace: { path: workspace, identity: await identify(workspace) },
      network: 'open',
      access: { allowedHosts: [], models: [] },
      opencodeConfiguration: { share: 'disabled', autoupdate: false, disabled_providers: ['opencode'] },
      ptyModules: ['/modules/node-pty'],
      runDirectoryParents: [at('runtime'), '/tmp'],
      temporaryFiles: { parents: await findTemporaryParents(), limitBytes: 5e8 },
      indexDirectory: at('storage', 'sandboxes'),
      recordDirectory: at('storage', 'runs'),
      detachedTimeoutMilliseconds: 1000,
    });
    assert.deepEqual(notes, []);
    assert.equal(statSync(at('storage', 'sandboxes')).mode & 0o777, 0o700);
  });

  it('gives each sandbox an id of its own', async () => {
    assert.notEqual((await prepare()).specification.id, (await prepare()).specification.id);
  });

  it('hands on what a task needs', async () => {
    const { specification } = await prepare(
      { kind: 'task', prompt: 'do it', deadlineMilliseconds: 5 },
      { network: 'none' },
    );
    const { kind, prompt, deadlineMilliseconds, network } = specification;
    assert.deepEqual(
      { kind, prompt, deadlineMilliseconds, network },
      { kind: 'task', prompt: 'do it', deadlineMilliseconds: 5, network: 'none' },
    );
  });

  it('gives a program that is run no home, and covers those of agents', async () => {
    const homes = ['agent-home', 'chosen'].map((name) => at('home', 'project', name));
    homes.forEach((home) => mkdirSync(home));
    const { specification } = await prepare({ kind: 'run' }, { agentHome: at('home', 'project', 'chosen') });
    const covered = specification.otherHomes?.map(({ path }) => path);
    assert.deepEqual([specification.home.kind, covered], ['memory', homes]);
  });

  it('starts on the model of the project', async () => {
    const project = { provider: { sdcc: { models: { llama: {} } } } };
    writeFileSync(at('home', 'project', 'opencode.json'), JSON.stringify(project));
    assert.equal((await prepare()).specification.opencodeConfiguration['model'], 'sdcc/llama');
  });

  it('keeps keys, credentials and variables out of the specification', async () => {
    const project = {
      provider: { sdcc: { options: { baseURL: 'https://m.example/v1' }, models: { llama: {} } } },
    };
    writeFileSync(at('home', 'project', 'opencode.json'), JSON.stringify(project));
    const { specification, secrets } = await prepare({
      grants: {
        approved: ['https://m.example/v1'],
        keys: new Map([['https://m.example/v1', 'secret-key']]),
      },
      allowedHosts: ['pypi.org'],
      siteProxy: { url: 'http://proxy.example:3128', exceptions: [], authorization: 'secret-proxy' },
      agentVariables: { TEAM_TOKEN: 'secret-variable' },
    });
    assert.deepEqual(specification.access, {
      allowedHosts: ['pypi.org'],
      models: [{ providerId: 'sdcc', baseUrl: 'https://m.example/v1', authentication: 'bearer' }],
      siteProxy: { url: 'http://proxy.example:3128', exceptions: [] },
    });
    assert.deepEqual(secrets, {
      modelKeys: { sdcc: 'secret-key' },
      siteProxyAuthorization: 'secret-proxy',
      environment: { TEAM_TOKEN: 'secret-variable' },
    });
    assert.doesNotMatch(JSON.stringify(specification), /secret-/);
  });

  it('leads to no model that was not approved', async () => {
    const project = {
      provider: { sdcc: { options: { baseURL: 'https://m.example/v1' }, models: { llama: {} } } },
    };
    writeFileSync(at('home', 'project', 'opencode.json'), JSON.stringify(project));
    const { specification, notes } = await prepare({
      grants: { approved: ['https://m.example/v2'], keys: new Map([['https://m.example/v1', 'key']]) },
    });
    assert.deepEqual(specification.access.models, []);
    assert.deepEqual(specification.opencodeConfiguration['disabled_providers'], ['sdcc']);
    assert.match(notes.map(formatMessage).join(), /was not approved for this folder/);
  });

  it('hands on when the agent has to ask', async () => {
    const { specification } = await prepare({}, { permission: 'askEdits' });
    assert.deepEqual(specification.opencodeConfiguration['permission'], { edit: 'ask' });
  });

  it('says when prompts may go to a hosted service', async () => {
    writeFileSync(at('home', 'project', 'opencode.json'), '{ "model": "opencode/big-pickle" }');
    const grants = { approved: ['https://opencode.ai/zen/v1'], keys: new Map() };
    const { notes } = await prepare({ grants });
    assert.match(notes.map(formatMessage).join('\n'), /prompts may go to opencode\.ai/);
  });

  it('resolves links and says through which path the folder was opened', async () => {
    symlinkSync('project', at('home', 'link'));
    symlinkSync('image.sif', at('latest.sif'));
    const { specification, notes } = await prepare(
      { workspace: at('home', 'link') },
      { image: at('latest.sif') },
    );
    assert.equal(specification.workspace.path, at('home', 'project'));
    assert.equal(specification.image.path, at('image.sif'));
    assert.deepEqual(notes.map(formatMessage), [
      `${at('home', 'link')} leads to ${at('home', 'project')}, which is what the sandbox gets.`,
    ]);
  });

  it('works in folders with difficult names', async () => {
    for (const name of ['a,b', 'a:b', 'a"b', "it's", ' a b ', 'a\nb', 'ünï', '-rf', '$(id)', '\\']) {
      mkdirSync(at('home', name));
      const { specification } = await prepare({ workspace: at('home', name) });
      assert.equal(specification.workspace.path, at('home', name));
    }
  });

  it('touches nothing for root or on another system', async () => {
    await refuses('host.root', { uid: 0 });
    await refuses('host.notLinux', { platform: 'darwin' });
    assert.deepEqual(readdirSync(at('home', 'project')), []);
    assert.equal(existsSync(at('storage')), false);
  });

  it('refuses folders that no agent may have, also through a link', async () => {
    symlinkSync(at('home', '.ssh'), at('innocent'));
    symlinkSync('circle', at('circle'));
    writeFileSync(at('file'), '');
    mkdirSync(at('server', 'bin'), { recursive: true });
    await refuses('workspace.home', { workspace: at('home') });
    await refuses('workspace.home', { workspace: root() });
    await refuses('workspace.dotFolder', { workspace: at('innocent') });
    await refuses('workspace.systemFolder', { workspace: '/' });
    await refuses('workspace.systemFolder', { workspace: '/proc/self/root' });
    await refuses('workspace.temporary', { workspace: '/var/tmp' });
    await refuses('workspace.runtime', { workspace: at('runtime') });
    await refuses('workspace.editor', { workspace: at('server', 'bin') });
    await refuses('workspace.missing', { workspace: at('missing') });
    await refuses('workspace.notAFolder', { workspace: at('circle') });
    await refuses('workspace.notAFolder', { workspace: at('file') });
    await refuses('workspace.invalidPath', { workspace: `${at('home', 'project')}\0` });
    await refuses('workspace.invalidPath', { workspace: 'relative' });
    assert.deepEqual(readdirSync(at('home', '.ssh')), []);
  });

  it('refuses programs and images that an agent of this window could replace', async () => {
    mkdirSync(at('home', 'second'));
    writeFileSync(at('home', 'second', 'image.sif'), sifHeader);
    writeProgram(at('home', 'second', 'apptainer'), 'echo apptainer version 1.4.5');
    const otherWorkspaces = [at('home', 'second')];
    await refuses('image.insideWorkspace', { otherWorkspaces }, { image: at('home', 'second', 'image.sif') });
    await refuses(
      'apptainer.replaceable',
      { otherWorkspaces },
      { apptainerPath: at('home', 'second', 'apptainer') },
    );
    await refuses(
      'home.image',
      {},
      { agentHome: at('home', 'second'), image: at('home', 'second', 'image.sif') },
    );
    symlinkSync(at('image.sif'), at('home', 'project', 'link.sif'));
    await refuses('image.insideWorkspace', {}, { image: at('home', 'project', 'link.sif') });
  });

  it('refuses images that are none', async () => {
    writeFileSync(at('text.sif'), 'no image');
    await refuses('image.notConfigured', {}, { image: '' });
    await refuses('image.notAbsolute', {}, { image: 'image.sif' });
    await refuses('image.missing', {}, { image: at('missing.sif') });
    await refuses('image.notSif', {}, { image: at('text.sif') });
    await refuses('image.notSif', {}, { image: at('home') });
  });

  it('makes no home before everything else is in order', async () => {
    await refuses('image.missing', {}, { image: at('missing.sif') });
    await refuses('apptainer.notFound', {}, { apptainerPath: at('missing') });
    assert.deepEqual(readdirSync(at('home', 'project')), []);
  });

  it('refuses a configuration that it can’t judge', async () => {
    symlinkSync('/etc/passwd', at('home', 'project', 'opencode.json'));
    await refuses('projectConfiguration.notAFile');
  });

  it('says when the extension can’t keep its files', async () => {
    writeFileSync(at('file'), '');
    await refuses('storage.notUsable', { storageDirectory: at('file', 'storage') });
  });
});
