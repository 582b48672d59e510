/** System calls that no agent, compiler or Python program needs and that widen what a container can attack. */
const deniedCalls = [
  // the session keyring is inherited and may hold Kerberos tickets (measured: readable without this)
  'keyctl',
  'add_key',
  'request_key',
  // namespaces and mounts: ways to build a second container inside the first
  'unshare',
  'setns',
  'mount',
  'umount2',
  'move_mount',
  'open_tree',
  'open_tree_attr',
  'fsopen',
  'fsmount',
  'fsconfig',
  'fspick',
  'mount_setattr',
  'pivot_root',
  'chroot',
  'open_by_handle_at',
  'name_to_handle_at',
  // kernel interfaces with a long history of holes
  'bpf',
  'perf_event_open',
  'userfaultfd',
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'kexec_load',
  'kexec_file_load',
  'init_module',
  'finit_module',
  'delete_module',
  'quotactl',
  'quotactl_fd',
  'acct',
  'swapon',
  'swapoff',
  'reboot',
  'nfsservctl',
  'lookup_dcookie',
  'vm86',
  'vm86old',
  'vhangup',
];

/** CLONE_NEWUSER of clone(2): a new user namespace gives all capabilities in it, and so much of the kernel to attack. */
const cloneNewUser = 0x10000000;

/**
 * `clone3` passes its flags in memory, where a filter can't see them, and so does `openat2` the mode of a file that it
 * makes: they must look as if the kernel did not have them. Then programs fall back to `clone` and `openat` (systemd
 * does the same for RestrictSUIDSGID=, systemd.exec(5)). Apptainer ignores `errnoRet`, and EPERM breaks threads
 * (measured); SECCOMP_RET_TRACE without a tracer answers ENOSYS (seccomp(2)).
 */
const absentCalls = ['clone3', 'openat2'];

/** Ways to be the tracer, or the judge, of one's own calls, and to let those through after all. */
const traceSeccomp = 0x80; // PTRACE_O_TRACESECCOMP
const traceRequests = [0x4200, 0x4206, 21]; // PTRACE_SETOPTIONS, PTRACE_SEIZE, PTRACE_OLDSETOPTIONS
const newListener = 0x8; // SECCOMP_FILTER_FLAG_NEW_LISTENER

/**
 * Threads that do not share their descriptors could hide one from whoever looks at the first thread's: a clone(2)
 * with CLONE_THREAD and without CLONE_FILES, or CLOSE_RANGE_UNSHARE of close_range(2). No program makes such.
 */
const [cloneThread, cloneFiles, closeRangeUnshare] = [0x10000, 0x400, 0x2];

/** O_CREAT and __O_TMPFILE (fcntl.h): only with one of them has the mode of open(2) a meaning. */
const creating = [0x40, 0x400000];

/** S_ISUID and S_ISGID: Apptainer's own program can be reached as /proc/1/exe, and may be the user's (measured). */
const setIdBits = [0o4000, 0o2000];

/** Where the mode stands in the arguments of the calls that set it. */
const modeArguments = { chmod: 1, fchmod: 1, fchmodat: 2, fchmodat2: 2, creat: 1, mknod: 1, mknodat: 2 };

/** Where the flags stand in the arguments of the calls that open a file; the mode is next. */
const openArguments = { open: 1, openat: 2 };

/**
 * ioctl requests that type into a terminal (ioctl_tty(2)), TIOCSTI and TIOCLINUX, and TIOCSETD, with which anybody makes
 * the kernel load drivers of modems (tty_ldisc_get), which had many a hole.
 */
const terminalRequests = [0x5412, 0x541c, 0x5423];

/**
 * ioctl requests of Btrfs that make, remove and change subvolumes (linux/btrfs.h), which need no privilege: SNAP_CREATE,
 * SUBVOL_CREATE, SNAP_DESTROY, both of version 2, SUBVOL_SETFLAGS, SNAP_DESTROY_V2. Before Linux 6.7 and the updates of
 * January 2024 who owns one file in a subvolume gets a snapshot of all of it, which may be the user's whole home. A
 * subvolume is a file system of its own for whoever looks at what is there (measured): what an agent does in one is not
 * reviewed, not measured, and stays when its temporary files are removed.
 */
const subvolumeRequests = [
  ...[0x50009401, 0x5000940e, 0x5000940f, 0x50009417, 0x50009418],
  ...[0x4008941a, 0x5000943f],
];

/**
 * fcntl(2): F_SETLEASE, and F_SETDELEG of Linux 6.19 (include/uapi/linux/fcntl.h). Who opens a file with a lease on it,
 * on the host too, waits for the holder, 45 s by default, or is refused: git of the host, and what looks through the
 * workspace for what has to be protected. It works on a file that can only be read (measured).
 */
const leases = [1024, 1040];

/**
 * The socket families (bits/socket.h) that programs need: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. A network namespace
 * does not confine all others: AF_VSOCK reaches the hypervisor and, in WSL2, Windows. And who only asks for one makes
 * the kernel load its module (`net-pf-N`), for which there is no need here.
 */
const allowedSocketFamilies = [1, 2, 10, 16];

/** Above it families are denied by their bit; the kernel knows none from 64 on (AF_MAX). */
const largestSingleFamily = 31;
const beyondSingleFamilies = 0x20;

/** A pair can be made of such sockets, too, and what the kernel loads for it is the same. */
const socketCalls = ['socket', 'socketpair'];

/** The kernel compares only the low 32 bits of an int argument; a program may set the high ones. */
const low32Bits = 0xffffffff;

interface ArgumentRule {
  readonly index: number;
  readonly value: number;
  readonly valueTwo: number;
  readonly op: 'SCMP_CMP_MASKED_EQ';
}

interface Rule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ERRNO' | 'SCMP_ACT_TRACE';
  readonly args?: readonly ArgumentRule[];
}

/** A profile in the format of the OCI runtime specification (`linux.seccomp`), as Apptainer's `--security` reads it. */
export interface SeccompProfile {
  readonly defaultAction: 'SCMP_ACT_ALLOW';
  readonly architectures: readonly string[];
  readonly syscalls: readonly Rule[];
}

/**
 * The seccomp profile of every sandbox. Allows by default, because opencode, compilers and scientific Python run
 * under it; only the native ABI is named, so a 32-bit call, which could hide its arguments in memory, is killed.
 *
 * @param architecture `process.arch`: `x64` or `arm64`
 */
export function seccompProfile(architecture: string): SeccompProfile {
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    architectures: [architecture === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
    syscalls: [
      { names: deniedCalls, action: 'SCMP_ACT_ERRNO' },
      { names: absentCalls, action: 'SCMP_ACT_TRACE' },
      denyWhen('clone', masked(0, cloneNewUser, cloneNewUser)),
      denyWhen('clone', masked(0, cloneThread | cloneFiles, cloneThread)),
      denyWhen('close_range', masked(2, closeRangeUnshare, closeRangeUnshare)),
      ...Object.entries(openArguments).flatMap(([name, index]) =>
        creating.flatMap((flag) =>
          setIdBits.map((bit) => denyWhen(name, masked(index, flag, flag), masked(index + 1, bit, bit))),
        ),
      ),
      denyWhen('seccomp', masked(1, newListener, newListener)),
      ...traceRequests.map((request) =>
        denyWhen('ptrace', masked(0, low32Bits, request), masked(3, traceSeccomp, traceSeccomp)),
      ),
      ...Object.entries(modeArguments).flatMap(([name, index]) =>
        setIdBits.map((bit) => denyWhen(name, masked(index, bit, bit))),
      ),
      ...[...terminalRequests, ...subvolumeRequests].map((request) =>
        denyWhen('ioctl', masked(1, low32Bits, request)),
      ),
      ...leases.map((command) => denyWhen('fcntl', masked(1, low32Bits, command))),
      ...socketCalls.flatMap(denySocketFamilies),
    ],
  };
}

/** AF_UNSPEC (0) is none: the kernel says so itself. */
function denySocketFamilies(call: string): Rule[] {
  const families = Array.from({ length: largestSingleFamily }, (_, index) => index + 1);
  return [
    ...families
      .filter((family) => !allowedSocketFamilies.includes(family))
      .map((family) => denyWhen(call, masked(0, low32Bits, family))),
    denyWhen(call, masked(0, beyondSingleFamilies, beyondSingleFamilies)),
  ];
}

/** Denies a call when all of its arguments are so. */
function denyWhen(name: string, ...args: readonly ArgumentRule[]): Rule {
  return { names: [name], action: 'SCMP_ACT_ERRNO', args };
}

/** The argument with this index, as far as the mask goes, has this value. */
function masked(index: number, mask: number, value: number): ArgumentRule {
  return { index, value: mask, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' };
}
