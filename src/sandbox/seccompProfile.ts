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

/** CLONE_NEWUSER of clone(2). `clone3` passes its flags in memory, where a filter can't see them. */
const cloneNewUser = 0x10000000;

/** ioctl requests that type into a terminal (ioctl_tty(2)): TIOCSTI and TIOCLINUX. */
const terminalInjection = [0x5412, 0x541c];

/**
 * Socket families (bits/socket.h) that a network namespace does not confine or that are attack surface only:
 * AF_VSOCK reaches the hypervisor and, in WSL2, Windows; the others are kernel modules nobody needs here.
 */
const deniedSocketFamilies = {
  AF_RDS: 21,
  AF_CAN: 29,
  AF_TIPC: 30,
  AF_ALG: 38,
  AF_VSOCK: 40,
  AF_QIPCRTR: 42,
  AF_XDP: 44,
};

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
  readonly action: 'SCMP_ACT_ERRNO';
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
  const denyWhen = (name: string, index: number, mask: number, value: number): Rule => ({
    names: [name],
    action: 'SCMP_ACT_ERRNO',
    args: [{ index, value: mask, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' }],
  });
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    architectures: [architecture === 'arm64' ? 'SCMP_ARCH_AARCH64' : 'SCMP_ARCH_X86_64'],
    syscalls: [
      { names: deniedCalls, action: 'SCMP_ACT_ERRNO' },
      denyWhen('clone', 0, cloneNewUser, cloneNewUser),
      ...terminalInjection.map((request) => denyWhen('ioctl', 1, low32Bits, request)),
      ...Object.values(deniedSocketFamilies).map((family) => denyWhen('socket', 0, low32Bits, family)),
    ],
  };
}
