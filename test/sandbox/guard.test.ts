import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { SandboxConnection } from '../../src/launch/connection';
import { agentEnvironment } from '../../src/opencode/environment';
import { managedConfiguration } from '../../src/opencode/managedConfiguration';
import { startDemoModel } from '../../scripts/demoModel/server';
import { configureModel, greetingScenario } from '../support/agentWorkspace';
import { protectWorkspace } from '../../src/launch/protectWorkspace';
import type { SandboxSpecification } from '../../src/sandbox/specification';
import type { FactName } from '../../src/sandbox/verdict';
import { image } from '../support/environment';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { git, makeRepository } from './support/repositories';
import { endOf, identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

const attack = resolve(__dirname, '../../../test/sandbox/attacks/guard.py');

/** By what each attack makes the host run something, and what the kernel answers where it is guarded against. */
const gitAttacks: Readonly<Record<string, { readonly host: readonly string[]; readonly errno: RegExp }>> = {
  config: { host: ['status'], errno: /30/ },
  hook: { host: ['commit', '--allow-empty', '-m', 'x'], errno: /30/ },
  rename: { host: ['status'], errno: /16/ },
  exchange: { host: ['status'], errno: /16/ },
  symlink: { host: ['status'], errno: /16/ },
  commondir: { host: ['status'], errno: /30/ },
  worktreeConfig: { host: ['status'], errno: /30/ },
  include: { host: ['status'], errno: /30/ },
  nested: { host: ['-C', 'vendor/lib', 'status'], errno: /30/ },
  submodule: { host: ['status'], errno: /30/ },
  submoduleFile: { host: ['-C', 'module', 'status'], errno: /16/ },
  worktree: { host: ['-C', 'tree', 'status'], errno: /16/ },
};

/** Those that change what the editor or a shell acts on, and EBUSY, EROFS, EXDEV or EPERM. */
const otherAttacks: Readonly<Record<string, RegExp>> = {
  vscode: /30/,
  vscodeSwap: /16/,
  envrc: /16/,
  hardLink: /18|30/,
  unmount: /1$/,
};

describe('the guard of the workspace', () => {
  let folders: TestFolders;
  let connection: SandboxConnection;
  let screen: ScreenReader;

  beforeEach(() => {
    folders = new TestFolders();
    makeRepository(folders.workspace);
  });
  afterEach(async () => {
    // one of them was killed
    await connection.stop().catch(() => undefined);
    folders.remove();
  });

  const at = (...names: string[]): string => join(folders.workspace, ...names);

  async function start(isGuarded: boolean, changes: Partial<SandboxSpecification> = {}): Promise<void> {
    const plain = specify(folders, { image: identified(image()), ...changes });
    const guard = await protectWorkspace(folders.workspace, plain.home, {}, folders.index);
    const specification: SandboxSpecification = isGuarded
      ? {
          ...{ ...plain, ...guard.parts },
          insideEnvironment: { ...plain.insideEnvironment, ...guard.insideEnvironment },
        }
      : plain;
    ({ connection } = await startSandbox(specification));
    await waitUntil(
      'the sandbox runs',
      () => connection.status.phase === 'running',
      60_000,
      () => JSON.stringify(connection.status),
    );
    screen = await ScreenReader.attach(connection);
  }

  async function inside(command: string): Promise<void> {
    rmSync(at('finished'), { force: true });
    screen.type(`${command}; touch finished\r`);
    await waitUntil(`${command} is over`, () => existsSync(at('finished')));
  }

  async function attackBy(name: string): Promise<string> {
    copyFileSync(attack, at('attack.py'));
    await inside(`python3 attack.py ${name}`);
    return readFileSync(at('outcome'), 'utf8').trim();
  }

  /** Whether the host ran what the agent has written. */
  function hostRuns(words: readonly string[]): boolean {
    rmSync(at('ran'), { force: true });
    git(folders.workspace, ...words);
    return existsSync(at('ran'));
  }

  const statusOf = (fact: FactName): string | undefined =>
    connection.status.verdict?.lines.find((line) => line.fact === fact)?.status;

  it('is needed: without it each attack makes git on the host run a program', async () => {
    const template = join(folders.root, 'template');
    cpSync(folders.workspace, template, { recursive: true, verbatimSymlinks: true });
    await start(false);
    for (const [name, { host }] of Object.entries(gitAttacks)) {
      assert.equal(await attackBy(name), `${name} done`);
      assert.equal(hostRuns(host), true, `${name}: the host ran it`);
      for (const entry of readdirSync(folders.workspace).filter((each) => each !== 'agent-home')) {
        rmSync(at(entry), { recursive: true });
      }
      cpSync(template, folders.workspace, { recursive: true, verbatimSymlinks: true });
    }
    for (const name of ['vscode', 'vscodeSwap', 'hardLink']) {
      assert.equal(await attackBy(name), `${name} done`);
    }
  });

  it('refuses each attack, and nothing runs on the host', async () => {
    await start(true);
    const before = git(folders.workspace, 'rev-parse', 'HEAD');
    for (const [name, { host, errno }] of Object.entries(gitAttacks)) {
      assert.match((await attackBy(name)).replace(`${name} errno `, ''), errno, name);
      assert.equal(hostRuns(host), false, `${name}: the host ran nothing`);
      for (const entry of ['evil', 'cd']) rmSync(at(entry), { recursive: true, force: true });
    }
    for (const [name, errno] of Object.entries(otherAttacks)) {
      assert.match((await attackBy(name)).replace(`${name} errno `, ''), errno, name);
    }
    assert.equal(connection.status.verdict?.state, 'isolated');
    assert.notEqual(git(folders.workspace, 'rev-parse', 'HEAD'), before, 'the user can commit meanwhile');
  });

  it('lets git look, but not write', async () => {
    await start(true);
    writeFileSync(at('file.txt'), 'changed\n');
    await inside(
      '(git status --porcelain && git diff --stat && git log --oneline && git blame file.txt) >looked 2>&1; echo $? >code; git add file.txt 2>added',
    );
    assert.equal(readFileSync(at('code'), 'utf8').trim(), '0', readFileSync(at('looked'), 'utf8'));
    assert.match(readFileSync(at('looked'), 'utf8'), /^ M file\.txt/m);
    assert.match(readFileSync(at('added'), 'utf8'), /index\.lock.*Read-only file system/);
  });

  it('leaves opencode its own snapshots, which are in its home', async () => {
    const model = await startDemoModel({ scenario: greetingScenario });
    try {
      configureModel(folders.workspace, model.baseUrl);
      await start(true, {
        ...{ kind: 'task', prompt: 'greet Ada', deadlineMilliseconds: 120_000, network: 'open' },
        opencodeConfiguration: managedConfiguration([readFileSync(at('opencode.json'), 'utf8')]),
        insideEnvironment: { ...agentEnvironment },
      });
      assert.deepEqual(await endOf(connection), { reason: 'exited', exitCode: 0 });
      assert.equal(readFileSync(at('greeting.txt'), 'utf8'), 'hello Ada\n');
      const data = at('agent-home/.local/share/opencode');
      const [project = ''] = readdirSync(join(data, 'snapshot'));
      const [snapshot = ''] = readdirSync(join(data, 'snapshot', project));
      const kept = git(join(data, 'snapshot', project, snapshot), 'count-objects');
      assert.match(kept, /^[1-9]\d* objects/);
      const files = readdirSync(data).filter((name) => name.startsWith('opencode.db'));
      const database = files.map((name) => readFileSync(join(data, name), 'latin1')).join('');
      assert.match(database, /"type":"patch"[^}]*greeting\.txt/);
    } finally {
      await model.close();
    }
  });

  it('says so when a tool of the host takes a bind away, and when the agent renames a folder above one', async () => {
    await start(true);
    assert.equal(statusOf('protectedPaths'), 'holds');
    writeFileSync(at('.envrc.new'), 'replaced on the host');
    renameSync(at('.envrc.new'), at('.envrc'));
    await waitUntil('that is a finding', () => statusOf('protectedPaths') === 'degraded', 5000);
    assert.equal(connection.status.verdict?.state, 'degraded');
    assert.match(JSON.stringify(connection.status.verdict.lines), /\.envrc/);
    await inside('mv vendor chosen && cp -r chosen vendor');
    const since = Date.now();
    await waitUntil(
      'it was verified again',
      () => (connection.status.verdict?.time ?? 0) > since + 100,
      6000,
    );
    assert.equal(connection.status.phase, 'running', JSON.stringify(connection.status));
    assert.equal(statusOf('protectedPaths'), 'degraded');
    assert.doesNotMatch(JSON.stringify(connection.status.verdict?.lines), /chosen/);
  });

  it('makes nothing in the workspace: of a start, a run, a stop and a kill git sees agent-home alone', async () => {
    const clean = join(folders.root, 'clean');
    mkdirSync(clean);
    git(clean, 'init', '-q');
    writeFileSync(join(clean, '.gitignore'), 'agent-home\n');
    git(clean, 'add', '.');
    git(clean, 'commit', '-qm', 'first');
    mkdirSync(join(clean, 'agent-home'), { mode: 0o700 });
    const seen = new Set<string>();
    const look = (): void => {
      const status = execFileSync(
        'git',
        ['--no-optional-locks', 'status', '--porcelain', '--untracked-files=all'],
        { cwd: clean, encoding: 'utf8' },
      );
      readdirSync(clean).forEach((name) => seen.add(name));
      if (status !== '') seen.add(status);
    };
    const timer = setInterval(look, 50);
    const home = { kind: 'folder' as const, folder: identified(join(clean, 'agent-home')) };
    const guard = await protectWorkspace(clean, home, {}, folders.index);
    for (const isKilled of [false, true]) {
      const started = await startSandbox(
        specify(folders, { ...guard.parts, workspace: identified(clean), home }),
      );
      ({ connection } = started);
      await waitUntil('the sandbox runs', () => started.connection.status.phase === 'running');
      if (isKilled) process.kill(started.supervisorPid, 'SIGKILL');
      else await connection.stop();
      await waitUntil('it is gone', () => !existsSync(started.runDirectory), 10_000);
    }
    clearInterval(timer);
    look();
    assert.deepEqual([...seen].sort(), ['.git', '.gitignore', 'agent-home']);
  });
});
