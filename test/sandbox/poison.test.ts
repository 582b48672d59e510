import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processTree, readProc } from '../../src/host/procfs';
import { startSupervisor } from '../../src/launch/startSupervisor';
import { connectSandbox } from '../../src/launch/connect';
import { noSecrets } from '../../src/sandbox/networkAccess';
import { apptainer, shellImage } from '../support/environment';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { plainCommand, plainEnvironment } from './support/plainCommand';
import { specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

const canary = 'CANARY-7f3a';

/** Something in the environment of whoever starts a sandbox that makes the plain command leak. */
interface Poison {
  readonly name: string;
  /** the variables; may make files in the folders */
  readonly variables: (folders: TestFolders) => Record<string, string>;
  /** a command whose output, or whose trace on the host, shows that the poison worked */
  readonly command: (folders: TestFolders) => string[];
  /** whether it worked */
  readonly worked: (output: string, folders: TestFolders) => boolean;
}

const secretOf = (folders: TestFolders): string => join(folders.root, 'secret.txt');

function leak(name: string, value: (secret: string) => string, shown = '/mnt/secret'): Poison {
  return {
    name,
    variables: (folders) => ({ [name]: value(secretOf(folders)) }),
    command: () => ['cat', shown],
    worked: (output) => output.includes(canary),
  };
}

function holdsCapabilities(name: string, variables: Record<string, string>): Poison {
  return {
    name,
    variables: () => variables,
    command: () => ['grep', 'CapEff', '/proc/self/status'],
    worked: (output) => /CapEff:\s*(?=[0-9a-f]*[1-9a-f])[0-9a-f]{16}/.test(output),
  };
}

/** A program that leaves a mark on the host when it runs. */
function marker(folders: TestFolders, name: string, then: string): { program: string; mark: string } {
  const folder = join(folders.root, 'bin');
  const [program, mark] = [join(folder, name), join(folders.root, 'mark')];
  mkdirSync(folder, { recursive: true });
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\n${then}\n`, { mode: 0o755 });
  return { program, mark };
}

const markExists = (_output: string, folders: TestFolders): boolean => existsSync(join(folders.root, 'mark'));

const poisons: readonly Poison[] = [
  ...['APPTAINER', 'SINGULARITY'].flatMap((prefix) => [
    leak(`${prefix}_BIND`, (secret) => `${secret}:/mnt/secret`),
    leak(`${prefix}_BINDPATH`, (secret) => `${secret}:/mnt/secret`),
    leak(`${prefix}_MOUNT`, (secret) => `type=bind,source=${secret},destination=/mnt/secret`),
  ]),
  leak('APPTAINER_HOME', (secret) => `${dirname(secret)}:/mnt/home`, '/mnt/home/secret.txt'),
  holdsCapabilities('APPTAINER_FAKEROOT', {
    APPTAINER_FAKEROOT: '1',
    APPTAINER_IGNORE_SUBUID: '1',
    APPTAINER_IGNORE_FAKEROOT_COMMAND: '1',
  }),
  holdsCapabilities('APPTAINER_ADD_CAPS', { APPTAINER_ADD_CAPS: 'CAP_SYS_ADMIN' }),
  {
    name: 'APPTAINER_OVERLAY',
    variables: (folders) => {
      const overlay = join(folders.root, 'overlay');
      mkdirSync(overlay, { recursive: true });
      return { APPTAINER_OVERLAY: overlay };
    },
    command: () => ['touch', '/mark'],
    worked: (_output, folders) => existsSync(join(folders.root, 'overlay/upper/mark')),
  },
  {
    name: 'APPTAINER_FUSESPEC',
    variables: (folders) => ({
      APPTAINER_FUSESPEC: `host:${marker(folders, 'fuse', 'sleep 1').program} /mnt`,
    }),
    command: () => ['true'],
    worked: markExists,
  },
  ...['APPTAINERENV_LEAKED', 'SINGULARITYENV_LEAKED'].map((name) => ({
    name,
    variables: () => ({ [name]: canary }),
    command: () => ['env'],
    worked: (output: string) => output.includes(`LEAKED=${canary}`),
  })),
  {
    name: 'http_proxy with a password',
    variables: () => ({ http_proxy: `http://user:${canary}@127.0.0.1:9/` }),
    command: () => ['env'],
    worked: (output) => output.includes(`http://user:${canary}`),
  },
  {
    name: 'a fake squashfuse_ll first on PATH',
    variables: (folders) => {
      const real = findProgram('squashfuse_ll');
      const { program } = marker(folders, 'squashfuse_ll', `exec '${real}' "$@"`);
      return { PATH: `${dirname(program)}:${plainEnvironment()['PATH']}` };
    },
    command: () => ['true'],
    worked: markExists,
  },
];

function findProgram(name: string): string {
  const folders = plainEnvironment()['PATH']?.split(':') ?? [];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  assert.ok(found, `${name} is not on the path`);
  return found;
}

/** Runs a command in the shell of a sandbox and returns what the screen shows then. */
async function inSandbox(
  folders: TestFolders,
  environment: NodeJS.ProcessEnv,
  command: string[],
): Promise<string> {
  const { connection } = await startSandbox(specify(folders), environment);
  try {
    const screen = await ScreenReader.attach(connection);
    await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
    screen.type(`${command.join(' ')}; echo fini''shed\r`);
    await screen.shows(/finished/);
    assert.equal(connection.status.verdict?.state, 'isolated');
    return screen.text();
  } finally {
    await connection.stop();
  }
}

describe('poison in the environment of whoever starts a sandbox', () => {
  let folders: TestFolders;
  let before: NodeJS.ProcessEnv;
  beforeEach(() => {
    folders = new TestFolders();
    writeFileSync(secretOf(folders), canary);
    before = { ...process.env };
  });
  afterEach(() => {
    process.env = before;
    folders.remove();
  });

  for (const { name, variables, command, worked } of poisons) {
    it(`${name} works on the plain command`, () => {
      const output = plainCommand(variables(folders), ...command(folders));
      assert.ok(worked(output, folders), output);
    });

    it(`${name} does nothing here`, async () => {
      const poisoned = variables(folders);
      Object.assign(process.env, poisoned);
      const output = await inSandbox(folders, process.env, command(folders));
      assert.equal(worked(output, folders), false, output);
    });
  }

  it('NODE_OPTIONS works on a process that inherits it, and does nothing here', async () => {
    const mark = join(folders.root, 'mark');
    const script = join(folders.root, 'required.cjs');
    writeFileSync(script, `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`);
    process.env['NODE_OPTIONS'] = `--require ${script}`;
    spawnSync(process.execPath, ['-e', '0'], { env: process.env });
    assert.ok(existsSync(mark), 'the attack works');
    spawnSync('/bin/rm', [mark]);
    await inSandbox(folders, process.env, ['true']);
    assert.equal(existsSync(mark), false);
  });

  it('LD_PRELOAD is loaded by the plain command, and not here', async () => {
    const library = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64']
      .map((folder) => join(folder, 'libutil.so.1'))
      .find((path) => existsSync(path));
    assert.ok(library, 'no library to preload was found');
    // the loader writes what it loads to trace.PID (ld.so(8))
    const poison = { LD_PRELOAD: library, LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: join(folders.root, 'trace') };
    const traces = (): string[] =>
      readdirSync(folders.root)
        .filter((name) => name.startsWith('trace.'))
        .map((name) => readFileSync(join(folders.root, name), 'utf8'));
    plainCommand(poison, 'true');
    assert.ok(
      traces().some((trace) => trace.includes(`calling init: ${library}`)),
      'the attack works',
    );

    const tracesBefore = traces().length;
    Object.assign(process.env, poison);
    const { connection, supervisorPid } = await startSandbox(specify(folders), process.env);
    await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
    const processes = processTree(supervisorPid);
    assert.ok(processes.length > 3, 'supervisor, starter, container');
    const poisoned = processes.filter((pid) =>
      /(^|\0)LD_(PRELOAD|DEBUG)/.test(readProc(`${pid}/environ`) ?? ''),
    );
    assert.deepEqual(poisoned, []);
    assert.equal(traces().length, tracesBefore);
    await connection.stop();
  });

  it('inherited descriptors are read by the plain command, and closed here', async () => {
    const open = 'exec 9<"$1" 251<"$2"; shift 2; exec "$@"';
    const inherited = [secretOf(folders), folders.root];
    const read = ['cat', '/proc/self/fd/9', '/proc/self/fd/251/secret.txt'];
    const plain = spawnSync(
      '/bin/bash',
      ['-c', open, 'bash', ...inherited, apptainer(), '-q', 'exec', '--containall', shellImage(), ...read],
      { env: plainEnvironment(), encoding: 'utf8' },
    );
    assert.equal(plain.stdout.split(canary).length - 1, 2, 'both can be read');

    const wrapper = join(folders.root, 'node');
    const quoted = [...inherited, process.execPath].map((path) => `'${path}'`);
    writeFileSync(wrapper, `#!/bin/bash\nexec 9<${quoted[0]} 251<${quoted[1]}\nexec ${quoted[2]} "$@"\n`);
    chmodSync(wrapper, 0o755);
    const started = await startSupervisor({
      nodePath: wrapper,
      script: join(__dirname, '../../../dist/supervisor.js'),
      specification: specify(folders),
      secrets: noSecrets,
      environment: process.env,
      onLog: () => undefined,
    });
    const connection = await connectSandbox(started.socket);
    const screen = await ScreenReader.attach(connection);
    await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
    assert.equal(connection.status.verdict?.state, 'isolated');
    screen.type(`${read.join(' ')}; echo fini''shed\r`);
    await screen.shows(/finished/);
    assert.doesNotMatch(screen.text(), new RegExp(canary));
    await connection.stop();
  });
});
