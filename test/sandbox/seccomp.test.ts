import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apptainer, image } from '../support/environment';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { plainEnvironment } from './support/plainCommand';
import { identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

/** System calls by number: x86-64, arm64. */
const numbers = {
  keyctl: [250, 219],
  add_key: [248, 217],
  unshare: [272, 97],
  socket: [41, 198],
  socketpair: [53, 199],
  ioctl: [16, 29],
  io_uring_setup: [425, 425],
  name_to_handle_at: [303, 264],
  fcntl: [72, 25],
} as const;

interface Attempt {
  readonly name: string;
  readonly call: keyof typeof numbers;
  /** up to five, as 64-bit integers */
  readonly arguments: readonly bigint[];
}

const highBits = 1n << 40n;
/** KEYCTL_GET_KEYRING_ID of KEY_SPEC_SESSION_KEYRING */
const sessionKeyring = [0n, -3n, 0n];

const attempts: readonly Attempt[] = [
  { name: 'the session keyring', call: 'keyctl', arguments: sessionKeyring },
  { name: 'a new key', call: 'add_key', arguments: [0n, 0n, 0n, 0n, -3n] },
  { name: 'a mount namespace in a new user namespace', call: 'unshare', arguments: [0x10020000n] },
  { name: 'a socket to the hypervisor (AF_VSOCK)', call: 'socket', arguments: [40n, 1n, 0n] },
  { name: 'the same with high bits set', call: 'socket', arguments: [40n | highBits, 1n, 0n] },
  { name: 'a kernel crypto socket (AF_ALG)', call: 'socket', arguments: [38n, 5n, 0n] },
  { name: 'typing into the terminal (TIOCSTI)', call: 'ioctl', arguments: [0n, 0x5412n, 0n] },
  { name: 'the same with high bits set', call: 'ioctl', arguments: [0n, 0x5412n | highBits, 0n] },
  { name: 'a pair of sockets to the hypervisor', call: 'socketpair', arguments: [40n, 1n, 0n, 0n] },
  { name: 'a socket for which a module is loaded (AF_RXRPC)', call: 'socket', arguments: [33n, 2n, 0n] },
  { name: 'the same of an old family (AF_X25)', call: 'socket', arguments: [9n, 5n, 0n] },
  { name: 'another line discipline (TIOCSETD)', call: 'ioctl', arguments: [0n, 0x5423n, 0n] },
  { name: 'a subvolume of Btrfs', call: 'ioctl', arguments: [0n, 0x5000940en, 0n] },
  { name: 'a snapshot of Btrfs', call: 'ioctl', arguments: [0n, 0x50009401n, 0n] },
  { name: 'the same in its second version', call: 'ioctl', arguments: [0n, 0x50009417n, 0n] },
  { name: 'an io_uring', call: 'io_uring_setup', arguments: [1n, 0n] },
  { name: 'a lease, for which others wait (F_SETLEASE)', call: 'fcntl', arguments: [0n, 1024n, 1n] },
  { name: 'the same with high bits set', call: 'fcntl', arguments: [0n, 1024n | highBits, 1n] },
  { name: 'a file handle', call: 'name_to_handle_at', arguments: [-100n, 0n, 0n, 0n, 0n] },
];

/** EPERM, errno(3): what the filter answers. */
const notPermitted = 1;

/** A script for Bun that makes raw system calls and writes down what each one answered. */
function script(results: string): string {
  const column = process.arch === 'arm64' ? 1 : 0;
  const calls = attempts.map((attempt) => [numbers[attempt.call][column], ...attempt.arguments].map(String));
  return `
import { dlopen, CString } from 'bun:ffi';
import { writeFileSync } from 'node:fs';
const arguments_ = ['i64', 'i64', 'i64', 'i64', 'i64', 'i64'];
const { symbols } = dlopen('libc.so.6', {
  syscall: { args: arguments_, returns: 'i64' },
  __errno_location: { args: [], returns: 'ptr' },
});
const { read } = await import('bun:ffi');
const errors = ${JSON.stringify(calls)}.map((call) => {
  const words = [...call, '0', '0', '0', '0', '0'].slice(0, 6).map(BigInt);
  const answer = symbols.syscall(...words);
  return answer < 0n ? read.i32(symbols.__errno_location()) : 0;
});
writeFileSync(${JSON.stringify(results)}, JSON.stringify(errors));
`;
}

describe('the seccomp profile', () => {
  let folders: TestFolders;
  let plain: number[];
  let ours: number[];
  before(async () => {
    folders = new TestFolders();
    const results = join(folders.workspace, 'results.json');
    const file = join(folders.workspace, 'attempts.mjs');
    writeFileSync(file, script(results));
    const read = (): number[] => JSON.parse(readFileSync(results, 'utf8')) as number[];

    const bind = ['--bind', folders.workspace, '--env', 'BUN_BE_BUN=1'];
    const run = spawnSync(apptainer(), ['-q', 'exec', '--containall', ...bind, image(), 'opencode', file], {
      env: plainEnvironment(),
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stderr);
    plain = read();
    writeFileSync(results, '[]');

    const { connection } = await startSandbox(specify(folders, { image: identified(image()) }));
    const screen = await ScreenReader.attach(connection);
    screen.type(`BUN_BE_BUN=1 opencode ${file}; echo do""ne\r`);
    await screen.shows(/done/);
    await waitUntil(
      'the results are there',
      () => existsSync(results) && read().length > 0,
      10_000,
      () => screen.text(),
    );
    ours = read();
    await connection.stop();
  });
  after(() => folders.remove());

  attempts.forEach(({ name, call }, index) => {
    it(`refuses ${name} (${call}), which the plain command lets through to the kernel`, () => {
      assert.notEqual(plain[index], notPermitted, `plain: ${plain.join()}`);
      assert.equal(ours[index], notPermitted, `ours: ${ours.join()}`);
    });
  });

  it('refuses a setuid program in the workspace, by whatever call it is made', async () => {
    // of each file the mode that it has in the end, or what the kernel answered
    const makeFiles = [
      'import ctypes, os, platform, sys',
      'os.umask(0); os.chdir(os.path.dirname(os.path.abspath(__file__)))',
      'libc = ctypes.CDLL(None, use_errno=True)',
      'how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)',
      '# os.link follows no link in /proc; AT_FDCWD, AT_SYMLINK_FOLLOW',
      'linkat = 265 if platform.machine() == "x86_64" else 37',
      'link = lambda fd, name: libc.syscall(linkat, -100, b"/proc/self/fd/%d" % fd, -100, name.encode(), 0x400)',
      'calls = {',
      '  "open": lambda name: os.open(name, os.O_CREAT | os.O_WRONLY, 0o4755),',
      '  "openat2": lambda name: libc.syscall(437, -100, name.encode(), ctypes.byref(how), 24),',
      '  "tmpfile": lambda name: link(os.open(".", os.O_TMPFILE | os.O_RDWR, 0o4755), name),',
      '  "chmod": lambda name: (os.open(name, os.O_CREAT, 0o755), os.chmod(name, 0o4755)),',
      '  "mknod": lambda name: os.mknod(name, 0o104755),',
      '}',
      'for name, call in calls.items():',
      '  try: call(sys.argv[1] + name)',
      '  except OSError: pass',
      'print("do" + "ne", flush=True)',
    ];
    const names = ['open', 'openat2', 'tmpfile', 'chmod', 'mknod'];
    const made = (prefix: string): string[] =>
      names.filter((name) => {
        const mode = statSync(join(folders.workspace, prefix + name), { throwIfNoEntry: false })?.mode ?? 0;
        return (mode & 0o6000) !== 0;
      });
    const file = join(folders.workspace, 'attack.py');
    writeFileSync(file, makeFiles.join('\n'));
    const command = [image(), 'python3', file, 'plain-'];
    const run = spawnSync(
      apptainer(),
      ['-q', 'exec', '--containall', '--bind', folders.workspace, ...command],
      {
        env: plainEnvironment(),
        encoding: 'utf8',
      },
    );
    assert.match(run.stdout, /done/, run.stderr);
    assert.deepEqual(made('plain-'), names, 'the attack works');

    const { connection } = await startSandbox(specify(folders, { image: identified(image()) }));
    const screen = await ScreenReader.attach(connection);
    screen.type('python3 attack.py ours-\r');
    await screen.shows(/done/);
    await connection.stop();
    assert.deepEqual(made('ours-'), []);
  });
});
