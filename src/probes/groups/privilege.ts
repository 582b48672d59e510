import { message } from '../../sandbox/message';
import type { Attack } from '../inside/attack';
import { byKernel, hasNoDescriptor } from '../judges';
import { held, notHeld, type Inapplicable, type Probe } from '../probe';
import type { KernelFacts, SeenProcess } from '../seen';

const group = 'privilege';

/** Of <linux/sched.h>: CLONE_NEWUSER, CLONE_NEWNS; SIGCHLD. */
const flags = { newUser: 0x10000000, newMount: 0x20000, childSignal: 17 } as const;

/** Held when the host's /proc says so of every process. */
function everyProcess(isGood: (process: SeenProcess, facts: KernelFacts) => boolean): Probe['judge'] {
  return byKernel((facts) => {
    const { processes } = facts;
    const bad = processes.find((process) => !isGood(process, facts));
    if (processes.length === 0) return notHeld(message('The host could read no process of the sandbox.'));
    return bad === undefined
      ? held(message('The host’s /proc says so of each of {0} processes.', processes.length))
      : notHeld(message('The host’s /proc says otherwise of process {0}.', bad.pid));
  });
}

/** Held when all processes are in the same user namespace. */
const oneUserNamespace: Probe['judge'] = byKernel(({ processes }) => {
  const different = new Set(processes.map(({ userNamespace }) => userNamespace));
  return different.size === 1
    ? held(message('The host’s /proc shows all processes of the sandbox in one user namespace.'))
    : notHeld(message('The host’s /proc shows a process in a further user namespace.'));
});

const noCode: Inapplicable = () =>
  process.arch === 'x64' ? undefined : message('This probe was not written for this processor.');

/** A structure of the kernel's, as bytes: 8-byte words by their offset. */
function structure(length: number, words: Readonly<Record<number, bigint>>): Uint8Array {
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  for (const [offset, value] of Object.entries(words)) view.setBigUint64(Number(offset), value, true);
  return bytes;
}

/** perf_event_open(2): a software clock of this very process, without the kernel. */
function openPerformance({ system }: Attack): string {
  // type 1, size 112, config 0; exclude_kernel and exclude_hv
  const attributes = structure(112, { 0: 1n | (112n << 32n), 40: 0b1100000n });
  return String(system.call('perf_event_open', attributes, 0, -1, -1, 0));
}

/** bpf(2): an array of one element. */
function makeMap({ system }: Attack): string {
  // BPF_MAP_CREATE; type 2, key and value of 4 and 8 bytes, one entry
  const attributes = structure(128, { 0: 2n | (4n << 32n), 8: 8n | (1n << 32n) });
  return String(system.call('bpf', 0, attributes, attributes.length));
}

/** seccomp(2): be the judge of one's own calls. The program allows everything. */
function listen({ system }: Attack): string {
  const allow = structure(8, { 0: 0x06n | (0x7fff0000n << 32n) });
  const program = new Uint8Array(16);
  const view = new DataView(program.buffer);
  view.setUint16(0, 1, true);
  view.setBigUint64(8, system.addressOf(allow), true);
  // SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER
  return String(system.call('seccomp', 1, 8, program));
}

const states: readonly Probe[] = [
  {
    ...{ id: 'privilege.capabilities', group, title: message('Hold capabilities') },
    attack: () => String(process.geteuid?.()),
    // those of a nested namespace have a probe of their own
    judge: everyProcess(
      ({ capabilities, userNamespace }, facts) =>
        capabilities === 0n || userNamespace !== facts.userNamespace,
    ),
  },
  {
    ...{ id: 'privilege.setId', group, title: message('Gain privileges by a setuid program (no_new_privs)') },
    attack: () => 'asked of the kernel',
    judge: everyProcess(({ noNewPrivileges }) => noNewPrivileges),
  },
  {
    ...{ id: 'privilege.filter', group, title: message('Run without a filter of system calls') },
    attack: () => 'asked of the kernel',
    judge: everyProcess(({ seccompMode }) => seccompMode === 2),
  },
];

const namespaces: readonly Probe[] = [
  {
    ...{ id: 'privilege.mount', group, title: message('Mount something in the sandbox') },
    leavesNoTrace: true,
    attack: ({ plan, system }) => String(system.call('mount', plan.token, '/tmp', 'tmpfs', 0, 0)),
    judge: byKernel(({ mounts }, { plan }) =>
      mounts.some(({ source }) => source === plan.token)
        ? notHeld(message('The host’s /proc shows the new mount.'))
        : held(message('The host’s /proc shows no new mount.')),
    ),
  },
  {
    ...{
      id: 'privilege.userNamespace',
      group,
      title: message('Make a user namespace, with all capabilities in it'),
    },
    ...{ leavesNoTrace: true, inapplicable: noCode },
    attack: ({ system }) => String(system.child(['clone', flags.newUser | flags.childSignal])),
    judge: oneUserNamespace,
  },
  {
    ...{ id: 'privilege.clone3', group, title: message('Make a user namespace by the newer call (clone3)') },
    ...{ leavesNoTrace: true, inapplicable: noCode },
    attack: ({ system }) => {
      const how = structure(88, { 0: BigInt(flags.newUser), 32: BigInt(flags.childSignal) });
      return String(system.child(['clone3', how, how.length]));
    },
    judge: oneUserNamespace,
  },
  {
    ...{ id: 'privilege.nestedMount', group, title: message('Mount something in a nested user namespace') },
    ...{ leavesNoTrace: true, inapplicable: noCode },
    attack: ({ plan, system }) => {
      const how = flags.newUser | flags.newMount | flags.childSignal;
      return String(system.child(['clone', how], ['mount', `${plan.token}-n`, '/tmp', 'tmpfs', 0, 0]));
    },
    judge: byKernel(({ processes }, { plan }) =>
      processes.some(({ mounts }) => mounts.some(({ source }) => source === `${plan.token}-n`))
        ? notHeld(message('The host’s /proc shows the new mount.'))
        : held(message('The host’s /proc shows no such mount in any process of the sandbox.')),
    ),
  },
];

/** Interfaces of the kernel with a long history of holes: each leaves a descriptor that the host can see. */
const interfaces: readonly Probe[] = [
  {
    ...{ id: 'privilege.ioUring', group, title: message('Use io_uring') },
    leavesNoTrace: true,
    attack: ({ system }) => String(system.call('io_uring_setup', 4, new Uint8Array(120))),
    judge: hasNoDescriptor(/^anon_inode:\[io_uring\]/),
  },
  {
    ...{ id: 'privilege.bpf', group, title: message('Use bpf') },
    leavesNoTrace: true,
    attack: makeMap,
    judge: hasNoDescriptor(/^anon_inode:\[?bpf-/),
  },
  {
    ...{ id: 'privilege.performance', group, title: message('Use performance counters') },
    leavesNoTrace: true,
    attack: openPerformance,
    judge: hasNoDescriptor(/^anon_inode:\[perf_event\]/),
  },
  {
    ...{ id: 'privilege.userFaults', group, title: message('Use userfaultfd') },
    leavesNoTrace: true,
    // UFFD_USER_MODE_ONLY
    attack: ({ system }) => String(system.call('userfaultfd', 1)),
    judge: hasNoDescriptor(/^anon_inode:\[userfaultfd\]/),
  },
  {
    ...{ id: 'privilege.listener', group, title: message('Be the judge of one’s own system calls') },
    leavesNoTrace: true,
    attack: listen,
    judge: hasNoDescriptor(/^anon_inode:seccomp/),
  },
];

export const privilegeProbes: readonly Probe[] = [...states, ...namespaces, ...interfaces];
