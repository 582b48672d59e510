import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { childProcesses, processName } from '../../src/host/procfs';
import { runProcess } from '../../src/host/runProcess';
import { connectSandbox } from '../../src/launch/connect';
import type { SandboxConnection } from '../../src/launch/connection';
import type { SandboxSpecification } from '../../src/sandbox/specification';
import { apptainer, image } from '../support/environment';
import { processesBelow, stillRunning } from '../support/processes';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { plainEnvironment } from './support/plainCommand';
import { endOf, identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

const payloads = resolve(__dirname, '../../../test/sandbox/attacks');

/** Without the guards no answer comes at all; with them it comes within a second, or some on a very busy machine. */
const promptMilliseconds = 10_000;

describe('an agent that attacks', () => {
  let folders: TestFolders;
  let connection: SandboxConnection;
  let supervisorPid: number;
  let runDirectory: string;
  let screen: ScreenReader;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(async () => {
    await connection.stop().catch(() => undefined);
    folders.remove();
  });

  async function start(changes: Partial<SandboxSpecification> = {}): Promise<void> {
    const specification = specify(folders, { image: identified(image()), ...changes });
    ({ connection, supervisorPid, runDirectory } = await startSandbox(specification));
    screen = await ScreenReader.attach(connection);
    await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
  }

  /** Runs Python in the sandbox; its output goes to the screen. */
  function python(...lines: string[]): void {
    writeFileSync(join(folders.workspace, 'attack.py'), lines.join('\n'));
    screen.type('python3 attack.py\r');
  }

  async function assertStopsPromptly(): Promise<void> {
    const since = Date.now();
    await connection.stop();
    assert.ok(Date.now() - since < promptMilliseconds, `stopped after ${Date.now() - since} ms`);
    // its socket stays until every client has heard of the end
    await waitUntil('the run directory is gone', () => !existsSync(runDirectory), 5000);
  }

  if (process.arch === 'x64') {
    it('can’t outlive its sandbox by tracing the init and killing Apptainer', async () => {
      await start();
      const heartbeat = join(folders.workspace, 'heartbeat');
      copyFileSync(join(payloads, 'outlive.py'), join(folders.workspace, 'outlive.py'));
      const ended = endOf(connection);
      const before = processesBelow(supervisorPid);
      screen.type(`python3 outlive.py ${heartbeat}\r`);
      assert.equal((await ended).reason, 'failed');
      await waitUntil(
        'all is gone',
        () => stillRunning(before).length === 0,
        5000,
        () => JSON.stringify(stillRunning(before)),
      );
      const last = existsSync(heartbeat) ? readFileSync(heartbeat, 'utf8') : '';
      await new Promise((tick) => setTimeout(tick, 500));
      assert.equal(
        existsSync(heartbeat) ? readFileSync(heartbeat, 'utf8') : '',
        last,
        'no heart beats any more',
      );
    });
  }

  it('leaves nothing when supervisor and starter are killed at the same moment', async () => {
    await start();
    const processes = processesBelow(supervisorPid);
    const starter = childProcesses(supervisorPid).find((pid) => processName(pid) === 'starter');
    assert.ok(starter);
    process.kill(supervisorPid, 'SIGKILL');
    process.kill(starter, 'SIGKILL');
    await waitUntil(
      'all is gone',
      () => stillRunning(processes).length === 0 && !existsSync(runDirectory),
      10_000,
      () => JSON.stringify(stillRunning(processes)),
    );
  });

  for (const sequence of [
    '\\033[2147483647S',
    '\\033[2147483647L',
    'x\\033[2147483647b',
    'e' + '\\314\\201'.repeat(400),
  ]) {
    it(`can’t keep the supervisor busy with ${sequence.slice(0, 20)}`, async () => {
      await start();
      screen.type(`while :; do printf '${sequence}'; done\r`);
      const before = connection.status.verdict?.time ?? 0;
      const verdictLater = (): boolean => (connection.status.verdict?.time ?? 0) > before + 2000;
      await waitUntil('verdicts go on', verdictLater, 15_000);
      await assertStopsPromptly();
    });
  }

  it('can’t keep the supervisor busy with a million open files', async () => {
    await start();
    python(
      'import os, resource, time',
      'most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]',
      'resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))',
      'for child in range(40):',
      '  if os.fork() == 0:',
      '    for _ in range(min(most, 20000) - 20): os.dup(0)',
      '    time.sleep(300)',
      'time.sleep(2); print("op" + "ened", flush=True); time.sleep(300)',
    );
    await screen.shows(/opened/);
    const before = connection.status.verdict?.time ?? 0;
    await waitUntil('verdicts go on', () => (connection.status.verdict?.time ?? 0) > before + 2000, 15_000);
    assert.notEqual(connection.status.verdict?.state, 'isolated', 'what could not be checked is said');
    await assertStopsPromptly();
  });

  it('can’t fill the supervisor’s memory with questions that it never reads the answers to', async () => {
    await start();
    screen.type(String.raw`stty -echo -icanon; while :; do printf '\033[c\033[c\033[c\033[c'; done` + '\r');
    connection.dispose();
    const resident = (): number =>
      Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${supervisorPid}/status`, 'utf8'))?.[1]);
    const before = resident();
    await new Promise((tick) => setTimeout(tick, 5000));
    const grown = resident() - before;
    assert.ok(grown < 150_000, `grew by ${grown} kB`);
    connection = await connectSandbox(join(runDirectory, 'control/supervisor.sock'));
    await assertStopsPromptly();
  });

  it('can’t make Apptainer’s own program setuid, and is ended when it changes its mode', async () => {
    await start();
    const program = resolve(dirname(apptainer()), '..', 'lib');
    assert.ok(existsSync(program));
    const starter = childProcesses(supervisorPid).find((pid) => processName(pid) === 'starter') ?? 0;
    const mode = (): number => statSync(`/proc/${starter}/exe`).mode;
    const before = mode();
    const ended = endOf(connection);
    python(
      'import os',
      'try: os.chmod("/proc/1/exe", 0o6755)',
      'except OSError as error: print("re" + "fused", error.errno)',
    );
    await screen.shows(/refused 1/);
    assert.equal(mode(), before);
    if (statSync(`/proc/${starter}/exe`).uid === process.getuid?.()) {
      python('import os, stat', `os.chmod("/proc/1/exe", ${before & 0o777})`);
      const end = await ended;
      assert.equal(end.reason, 'broken');
      assert.match(end.explanation?.text ?? '', /Apptainer’s program was changed/);
    }
  });

  it('can’t make a user namespace, in which it would have all capabilities, by any call', async () => {
    const clone3 = [
      'import ctypes, os',
      'libc = ctypes.CDLL(None, use_errno=True)',
      'arguments = (ctypes.c_uint64 * 11)(); arguments[0] = 0x10000000; arguments[4] = 17',
      'child = libc.syscall(435, ctypes.byref(arguments), 88)',
      'if child == 0: os._exit(0)',
      'print("clo" + "ne3", child > 0, ctypes.get_errno(), flush=True)',
    ];
    const file = join(folders.workspace, 'attack.py');
    writeFileSync(file, clone3.join('\n'));
    const plain = await runProcess({
      file: apptainer(),
      args: ['-q', 'exec', '--containall', '--bind', folders.workspace, image(), 'python3', file],
      env: plainEnvironment(),
      cwd: '/',
      maximumOutputBytes: 10_000,
    });
    assert.match(plain.stdout, /clone3 True/, 'the attack works');

    await start();
    python(...clone3);
    // 38: ENOSYS, so that programs fall back to clone
    await screen.shows(/clone3 False 38/);
    python(
      'import ctypes',
      'libc = ctypes.CDLL(None, use_errno=True)',
      'program = ctypes.create_string_buffer(16)',
      'listener = libc.syscall(317 if __import__("os").uname().machine == "x86_64" else 277, 1, 8, ctypes.byref(program))',
      'print("lis" + "tener", listener, ctypes.get_errno(), flush=True)',
    );
    await screen.shows(/listener -1 1/);
    // PTRACE_SETOPTIONS by its old number, with PTRACE_O_TRACESECCOMP; 3, ESRCH, would come from the kernel
    python(
      'import ctypes',
      'libc = ctypes.CDLL(None, use_errno=True)',
      'libc.ptrace.argtypes = [ctypes.c_long] * 4',
      'answers = []',
      'for request in (21, 0x4200, 0x4206):',
      '  ctypes.set_errno(0); libc.ptrace(request, 999999, 0, 0x80); answers.append(ctypes.get_errno())',
      'print("tra" + "cing", *answers, flush=True)',
    );
    await screen.shows(/tracing 1 1 1/);
    screen.type('unshare -r true; echo sta""tus $?\r');
    await screen.shows(/status [1-9]/);
  });

  it('can’t hide a file of the host in a process whose first thread has ended', async () => {
    const name = `colluder-${process.pid}`;
    writeFileSync(join(folders.root, 'secret.txt'), 'secret');
    // on the host, but for its programs: Node has no way to pass a descriptor to a process that is not its child
    const server = [
      'import array, os, socket',
      `s = socket.socket(socket.AF_UNIX); s.bind("\\0${name}"); s.listen(1)`,
      'c, _ = s.accept(); secret = os.open("secret.txt", os.O_RDONLY)',
      'c.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [secret]))])',
    ];
    const colluder = runProcess({
      file: apptainer(),
      args: [
        ...['-q', 'exec', '--bind', folders.root, '--pwd', folders.root],
        ...[image(), 'python3', '-c', server.join('\n')],
      ],
      env: plainEnvironment(),
      cwd: '/',
      timeoutMilliseconds: 30_000,
      maximumOutputBytes: 1000,
    }).catch(() => undefined);
    await start({ network: 'open' });
    const ended = endOf(connection);
    python(
      'import array, ctypes, socket, threading, time',
      'def receive():',
      '  s = socket.socket(socket.AF_UNIX)',
      '  while True:',
      '    try:',
      `      s.connect("\\0${name}"); break`,
      '    except OSError: time.sleep(0.1)',
      '  s.recvmsg(1, socket.CMSG_SPACE(4)); time.sleep(300)',
      'threading.Thread(target=receive).start(); time.sleep(0.2)',
      'ctypes.CDLL(None).syscall(60 if __import__("os").uname().machine == "x86_64" else 93, 0)',
    );
    const end = await ended;
    assert.equal(end.reason, 'broken');
    await colluder;
  });
});
