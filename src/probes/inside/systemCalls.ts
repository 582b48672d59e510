/**
 * Raw system calls through bun:ffi, which only Bun has: nothing native is shipped. Numbers are those of
 * <asm/unistd.h>; both tables are complete for what the probes call.
 */
export interface SystemCalls {
  /** @returns what the kernel returns; a negative number is an error */
  call(name: CallName, ...args: readonly (number | Uint8Array | string)[]): number;
  /** Where the kernel finds these bytes. */
  addressOf(bytes: Uint8Array): bigint;
  /**
   * Makes a child by `clone` or `clone3` that makes further calls and then waits. It runs machine code of ours, since
   * Bun does not survive a fork.
   * @returns its process id, or a negative number; undefined on a processor for which there is no such code
   */
  child(first: CallRow, ...further: readonly CallRow[]): number | undefined;
}

/** One call and its arguments. */
export type CallRow = readonly [CallName, ...(readonly (number | Uint8Array | string)[])];

const numbers = {
  x64: {
    ...{ clone: 56, clone3: 435, pause: 34, exit: 60, mount: 165, unshare: 272, setns: 308, ioctl: 16 },
    ...{ bpf: 321, perf_event_open: 298, userfaultfd: 323, io_uring_setup: 425, seccomp: 317, kill: 62 },
    ...{ keyctl: 250, add_key: 248, msgsnd: 69, mmap: 9, prctl: 157, fchmodat: 268 },
    ...{ socket: 41, connect: 42, mknodat: 259, ptrace: 101 },
  },
  arm64: {
    ...{ clone: 220, clone3: 435, pause: 73, exit: 93, mount: 40, unshare: 97, setns: 268, ioctl: 29 },
    ...{ bpf: 280, perf_event_open: 241, userfaultfd: 282, io_uring_setup: 425, seccomp: 277, kill: 129 },
    ...{ keyctl: 219, add_key: 217, msgsnd: 189, mmap: 222, prctl: 167, fchmodat: 53 },
    ...{ socket: 198, connect: 203, mknodat: 33, ptrace: 117 },
  },
} as const;
export type CallName = keyof (typeof numbers)['x64'];

interface Ffi {
  dlopen(name: string, symbols: object): { readonly symbols: Record<string, (...args: never[]) => unknown> };
  ptr(buffer: Uint8Array): number;
  toArrayBuffer(address: number, offset: number, length: number): ArrayBuffer;
  CFunction(definition: object): (...args: unknown[]) => unknown;
}

/** The C libraries of glibc and musl. */
const libraries = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1', 'libc.so'];

/**
 * Makes a call of each row of a table until one returns something else than 0 to the first: the parent returns with
 * the child's id, the child goes on. A row is the number and five arguments, 8 bytes each.
 */
const x64Code = [
  ...[0x53, 0x48, 0x89, 0xfb], // push rbx; mov rbx, rdi
  ...[0x48, 0x8b, 0x03, 0x48, 0x8b, 0x7b, 0x08, 0x48, 0x8b, 0x73, 0x10], // rax, rdi, rsi
  ...[0x48, 0x8b, 0x53, 0x18, 0x4c, 0x8b, 0x53, 0x20, 0x4c, 0x8b, 0x43, 0x28], // rdx, r10, r8
  ...[0x45, 0x31, 0xc9, 0x0f, 0x05, 0x48, 0x85, 0xc0, 0x75, 0x22], // r9 = 0; syscall; test rax, rax; jnz end
  ...[0x48, 0x83, 0xc3, 0x30], // add rbx, 48
  ...[0x48, 0x8b, 0x03, 0x48, 0x8b, 0x7b, 0x08, 0x48, 0x8b, 0x73, 0x10],
  ...[0x48, 0x8b, 0x53, 0x18, 0x4c, 0x8b, 0x53, 0x20, 0x4c, 0x8b, 0x43, 0x28],
  ...[0x45, 0x31, 0xc9, 0x0f, 0x05, 0xeb, 0xde], // r9 = 0; syscall; jmp to add rbx
  ...[0x5b, 0xc3], // end: pop rbx; ret
];

/** Loads the C library. @throws when there is none that Bun can load */
export function loadSystemCalls(ffi: Ffi, architecture: string): SystemCalls {
  const table = architecture === 'arm64' ? numbers.arm64 : numbers.x64;
  const word = 'i64';
  const symbols = openLibrary(ffi, { syscall: { args: Array<string>(7).fill(word), returns: word } });
  // what the kernel is given addresses of must stay where it is
  const kept: Uint8Array[] = [];
  const asNumber = (value: number | Uint8Array | string): number => {
    if (typeof value === 'number') return value;
    const bytes = typeof value === 'string' ? new TextEncoder().encode(`${value}\0`) : value;
    kept.push(bytes);
    return ffi.ptr(bytes);
  };
  const call: SystemCalls['call'] = (name, ...args) => {
    const words = [table[name], ...args.map(asNumber), 0, 0, 0, 0, 0, 0].slice(0, 7);
    return Number((symbols['syscall'] as unknown as (...words: number[]) => unknown)(...words));
  };
  return {
    call,
    addressOf: (bytes) => BigInt(asNumber(bytes)),
    child: (...rows) => runCode(ffi, call, rows, table, asNumber, architecture),
  };
}

function openLibrary(ffi: Ffi, symbols: object): Record<string, (...args: never[]) => unknown> {
  for (const name of libraries) {
    try {
      return ffi.dlopen(name, symbols).symbols;
    } catch {
      // the next one
    }
  }
  throw new Error('no C library');
}

function runCode(
  ffi: Ffi,
  call: SystemCalls['call'],
  rows: readonly CallRow[],
  table: Readonly<Record<CallName, number>>,
  asNumber: (value: number | Uint8Array | string) => number,
  architecture: string,
): number | undefined {
  if (architecture !== 'x64') return undefined;
  // PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS
  const address = call('mmap', 0, 4096, 7, 0x22, -1, 0);
  new Uint8Array(ffi.toArrayBuffer(address, 0, 4096)).set(x64Code);
  const all: readonly CallRow[] = [...rows, ['pause'], ['exit', 0]];
  const words = new BigInt64Array(all.length * 6);
  all.forEach(([name, ...args], row) => {
    words[row * 6] = BigInt(table[name]);
    args.forEach((value, index) => (words[row * 6 + index + 1] = BigInt(asNumber(value))));
  });
  const run = ffi.CFunction({ ptr: address, args: ['ptr'], returns: 'i64' });
  return Number(run(ffi.ptr(new Uint8Array(words.buffer))));
}
