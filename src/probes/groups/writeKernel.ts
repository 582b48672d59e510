import { openSync } from 'node:fs';
import { message } from '../../sandbox/message';
import { attempt, changeMode, write, type Attack } from '../inside/attack';
import { byKernel, hasNoDescriptor } from '../judges';
import type { Plan } from '../plan';
import { held, notHeld, type Probe } from '../probe';

const group = 'write';

/** It is left open. */
function openForWriting(path: string): string {
  return attempt(() => String(openSync(path, 'r+')));
}

/** Some that belong to all of the computer, and some of a namespace that need a capability in it. */
const kernelSettings = [
  ...[
    'kernel/core_pattern',
    'kernel/modprobe',
    'kernel/hostname',
    'vm/overcommit_memory',
    'fs/protected_symlinks',
  ],
  ...['user/max_user_namespaces', 'fs/mqueue/msg_max'],
  ...['net/ipv4/ip_forward', 'net/ipv4/ip_default_ttl', 'net/core/somaxconn'],
]
  .map((name) => `sys/${name}`)
  .concat('sysrq-trigger');

/** mknod(2) of a character device; 1:3 would be /dev/null. */
function makeDevice({ plan, system }: Attack): string {
  return String(system.call('mknodat', -100, deviceOf(plan), 0o20600, 0x103));
}

const deviceOf = ({ workspace, token }: Plan): string => `${workspace}/device-${token}`;

/** As `sandbox/judgeMounts.ts` allows them. */
const harmlessDevices = new Set(['null', 'zero', 'full', 'random', 'urandom', 'tty', 'console', 'ptmx']);

const rootNames = ['/usr', '/etc', '/bin', '/opt', '/lib'];

/** Writes to what is the kernel's, the image's or the launcher's: the host looks at what the kernel says by then. */
export const kernelProbes: readonly Probe[] = [
  {
    ...{ id: 'write.root', group, title: message('Change the programs and the configuration of the image') },
    leavesNoTrace: true,
    attack: ({ plan }) => rootNames.map((folder) => write(`${folder}/${plan.token}`)).join(' '),
    judge: byKernel(({ rootChanges }) =>
      rootChanges.length === 0
        ? held(message('Seen from the host, the root of the sandbox has nothing new.'))
        : notHeld(message('The root of the sandbox was changed: {0}', rootChanges.join(', '))),
    ),
  },
  {
    ...{
      id: 'write.kernelFiles',
      group,
      title: message('Find the kernel’s own files (/sys, control groups)'),
    },
    // opened only: who may do that may change it
    attack: () => [write('/sys/kernel/probe'), openForWriting('/sys/fs/cgroup/cgroup.procs')].join(' '),
    // of all processes: one may have taken some away for itself
    judge: byKernel(({ mounts: own, processes }) => {
      const mounts = [own, ...processes.map((process) => process.mounts)].flat();
      const kinds = ['sysfs', 'cgroup', 'cgroup2', 'securityfs', 'debugfs', 'bpf', 'configfs', 'tracefs'];
      const found = mounts.filter(({ fileSystem }) => kinds.includes(fileSystem));
      return found.length === 0
        ? held(message('The host’s /proc shows no such mount in the sandbox.'))
        : notHeld(
            message(
              'The host’s /proc shows: {0}',
              [...new Set(found.map(({ mountPoint }) => mountPoint))].join(', '),
            ),
          );
    }),
  },
  {
    ...{ id: 'write.kernelSettings', group, title: message('Change a setting of the kernel (/proc/sys)') },
    leavesNoTrace: true,
    // the descriptors stay for the host to see; nothing is written
    attack: () => kernelSettings.map((name) => openForWriting(`/proc/${name}`)).join(' '),
    judge: hasNoDescriptor(/^\/proc\/sys/),
  },
  {
    ...{
      id: 'write.devices',
      group,
      title: message('Find or make devices that are more than a terminal or a source of bytes'),
    },
    victims: (plan) => [deviceOf(plan)],
    attack: (attack) => `${openForWriting('/dev/fuse')} ${makeDevice(attack)}`,
    judge: byKernel(({ devices }, { plan, victims }) => {
      const made = victims.get(deviceOf(plan)) === 'same' ? [] : [deviceOf(plan)];
      const found = [...devices.filter((name) => !harmlessDevices.has(name)), ...made];
      return found.length === 0
        ? held(message('Seen from the host, the sandbox has only harmless devices.'))
        : notHeld(message('The sandbox has the devices: {0}', found.slice(0, 12).join(', ')));
    }),
  },
  {
    ...{ id: 'write.launcher', group, title: message('Give the launcher’s own program a setuid bit') },
    leavesNoTrace: true,
    attack: ({ system }) => changeMode(system, '/proc/1/exe', 0o6755),
    judge: ({ launcherHasSetId }) =>
      launcherHasSetId
        ? notHeld(message('The program has setuid or setgid bits now; the host has taken them away again.'))
        : held(message('The host sees the mode of the program unchanged.')),
  },
];
