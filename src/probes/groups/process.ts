import { closeSync, openSync, readSync } from 'node:fs';
import { message } from '../../sandbox/message';
import { attempt, list, processes, read, readAll, type Attack } from '../inside/attack';
import { byKernel, keepsSecret, needsSecret } from '../judges';
import { held, notHeld, type Probe } from '../probe';

const group = 'process';

/** SIGUSR1 and SIGURG of <signal.h>; the first is what the host's process listens for, the second harms nobody. */
const signals = { user1: 10, urgent: 23 } as const;

/** So much at the top of a stack holds the arguments and the environment. */
const stackTop = 65_536;

/** Reads what lies at the top of a process's stack. */
function readMemory({ plan }: Attack): string {
  const maps = read(`/proc/${plan.hostPid}/maps`);
  const [, , to = ''] = /^([0-9a-f]+)-([0-9a-f]+) .*\[stack\]$/m.exec(maps) ?? [];
  if (to === '') return maps.slice(0, 100);
  return attempt(() => {
    const memory = openSync(`/proc/${plan.hostPid}/mem`, 'r');
    const buffer = Buffer.alloc(stackTop);
    readSync(memory, buffer, 0, stackTop, parseInt(to, 16) - stackTop);
    closeSync(memory);
    return buffer.toString('latin1');
  });
}

/** PTRACE_SEIZE of <sys/ptrace.h>: it attaches and disturbs nothing, until the end of who has attached. */
const seize = 0x4206;

/** KEYCTL_READ of keyctl(2). */
const readKey = 11;

function readKeyring({ plan, system }: Attack): string {
  const buffer = new Uint8Array(256);
  const length = system.call('keyctl', readKey, plan.keySerial ?? 0, buffer, buffer.length);
  return `${length} ${Buffer.from(buffer).toString('latin1').replaceAll('\0', '')}`;
}

function sendMessage({ plan, system }: Attack): string {
  const text = new Uint8Array(16);
  text[0] = 1;
  return String(system.call('msgsnd', plan.messageQueue ?? 0, text, 1, 0x800));
}

function ownNamespace(name: string): Probe['judge'] {
  return byKernel(({ sharedNamespaces }) =>
    sharedNamespaces.includes(name)
      ? notHeld(message('The host’s /proc shows that the {0} namespace is the host’s.', name))
      : held(message('The host’s /proc shows a {0} namespace of its own.', name)),
  );
}

export const processProbes: readonly Probe[] = [
  {
    ...{ id: 'process.list', group, title: message('See the processes of the host and their arguments') },
    apart: 'pid',
    attack: () => readAll(processes().map((pid) => `/proc/${pid}/cmdline`)),
    judge: keepsSecret('processArguments'),
  },
  {
    ...{ id: 'process.environment', group, title: message('Read the environment of a process of the host') },
    apart: 'pid',
    attack: ({ plan }) => readAll([plan.hostPid, ...processes()].map((pid) => `/proc/${pid}/environ`)),
    judge: keepsSecret('processEnvironment'),
  },
  {
    ...{ id: 'process.memory', group, title: message('Read the memory of a process of the host') },
    apart: 'pid',
    attack: readMemory,
    judge: keepsSecret('processEnvironment', 'processArguments'),
  },
  {
    ...{ id: 'process.signal', group, title: message('Send a signal to a process of the host') },
    apart: 'pid',
    attack: ({ plan, system }) => String(system.call('kill', plan.hostPid, signals.user1)),
    judge: ({ signals: arrived }) =>
      arrived.length === 0
        ? held(message('The process of the host got no signal.'))
        : notHeld(message('The process of the host got a signal.')),
  },
  {
    ...{ id: 'process.group', group, title: message('Send a signal to the process group (kill 0)') },
    attack: ({ system }) => String(system.call('kill', 0, signals.urgent)),
    judge: byKernel(({ sharesProcessGroup }) =>
      sharesProcessGroup
        ? notHeld(message('The host’s /proc shows a process of the host in the same process group.'))
        : held(message('The host’s /proc shows no process of the host in the same process group.')),
    ),
  },
  {
    ...{ id: 'process.namespace', group, title: message('Share process ids with the host') },
    attack: () => String(process.pid),
    judge: ownNamespace('pid'),
  },
  {
    ...{ id: 'process.hostName', group, title: message('Share the host’s name') },
    attack: () => read('/proc/sys/kernel/hostname'),
    judge: ownNamespace('uts'),
  },
  {
    ...{ id: 'process.sharedMemory', group, title: message('Read the host’s shared memory (/dev/shm)') },
    inapplicable: needsSecret('sharedMemory', message('Nothing could be hidden in /dev/shm.')),
    places: ({ sharedMemorySecret }) => [sharedMemorySecret],
    attack: ({ plan }) => `${read(plan.sharedMemorySecret ?? '/')} ${list('/dev/shm')}`,
    judge: keepsSecret('sharedMemory'),
  },
  {
    ...{
      id: 'process.messageQueue',
      group,
      title: message('Put something into a message queue of the host (System V)'),
    },
    inapplicable: ({ plan }) =>
      plan.messageQueue === undefined ? message('No queue could be made here: ipcmk is missing.') : undefined,
    apart: 'ipc',
    attack: sendMessage,
    judge: ({ messagesArrived }) =>
      messagesArrived
        ? notHeld(message('A message arrived in the host’s queue.'))
        : held(message('The host’s queue is empty.')),
  },
  {
    ...{ id: 'process.keyring', group, title: message('Read a key of the session’s keyring') },
    inapplicable: needsSecret(
      'keyring',
      message('No key could be planted here: that needs python3, and a kernel that has keyrings.'),
    ),
    leavesNoTrace: true,
    attack: readKeyring,
    judge: keepsSecret('keyring'),
  },
  // long after the signal, which one that traces would keep
  {
    ...{ id: 'process.trace', group, title: message('Trace a process of the host (ptrace)') },
    apart: 'pid',
    attack: ({ plan, system }) => String(system.call('ptrace', seize, plan.hostPid, 0, 0)),
    judge: ({ hostIsTraced }) =>
      hostIsTraced
        ? notHeld(message('The host’s /proc shows that the process of the host is traced.'))
        : held(message('The host’s /proc shows that nobody traces the process of the host.')),
  },
];
