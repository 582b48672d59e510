import { spawnSync } from 'node:child_process';

/** A key in the session's keyring, which every process of the session has. */
export interface PlantedKey {
  readonly serial: number;
  remove(): void;
}

/** The kernel forgets a key after so long when who planted it was killed before it could remove it. */
const forgottenSeconds = 600;

/**
 * add_key(2) and keyctl(2) by number, since neither Node nor a shell has them; -3 is the session's keyring,
 * KEYCTL_UNLINK is 9, KEYCTL_SET_TIMEOUT is 15.
 */
const script = [
  'import ctypes, os, sys',
  'libc = ctypes.CDLL(None)',
  'x64 = os.uname().machine == "x86_64"',
  'add, control = (248, 250) if x64 else (217, 219)',
  'if sys.argv[1] == "add":',
  '  secret = sys.stdin.buffer.read()',
  '  key = libc.syscall(add, b"user", b"sandbox-probe", secret, len(secret), -3)',
  `  libc.syscall(control, 15, key, ${forgottenSeconds})`,
  '  print(key)',
  'else:',
  '  libc.syscall(control, 9, int(sys.argv[2]), -3)',
].join('\n');

function run(input: string, ...args: string[]): string {
  const made = spawnSync('/usr/bin/python3', ['-c', script, ...args], { encoding: 'utf8', env: {}, input });
  return made.status === 0 ? made.stdout.trim() : '';
}

/** Plants a key. `undefined` where there is no Python, or the kernel does not let us. */
export function plantKey(secret: string): PlantedKey | undefined {
  const serial = Number(run(secret, 'add'));
  if (!(serial > 0)) return undefined;
  return { serial, remove: () => void run('', 'unlink', String(serial)) };
}
