import {
  appendFileSync,
  mkdirSync,
  openSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { message } from '../../sandbox/message';
import { attempt, type Attack } from '../inside/attack';
import { byKernel, hasNoDescriptor, keepsVictims, oursAlone } from '../judges';
import type { Plan } from '../plan';
import { held, notHeld, type Probe } from '../probe';

const group = 'write';

function write(path: string): string {
  return attempt(() => {
    appendFileSync(path, 'changed by a probe\n');
    return 'written';
  });
}

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

/** By the call itself: Bun's own leaves the bits out that matter. AT_FDCWD of <fcntl.h> is -100. */
function changeMode(system: Attack['system'], path: string, mode: number): string {
  return String(system.call('fchmodat', -100, path, mode));
}

/** Files of the host that must stay as they are, and which the sandbox must not be able to write. */
function outside(pathsOf: (plan: Plan) => readonly string[]): Pick<Probe, 'victims' | 'places'> {
  return { victims: pathsOf, places: pathsOf };
}

/** Writes to the host's files: the host looks at each before and after. */
const files: readonly Probe[] = [
  {
    ...{ id: 'write.home', group, title: message('Change a file in the home folder') },
    ...outside(({ home }) => [`${home}/victim.txt`]),
    attack: ({ plan }) => write(`${plan.home}/victim.txt`),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.homeNew', group, title: message('Make a file in the home folder') },
    ...outside(({ home }) => [`${home}/new.txt`]),
    attack: ({ plan }) => write(`${plan.home}/new.txt`),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.sibling', group, title: message('Make a file in the folder beside the workspace') },
    ...outside(({ sibling }) => [`${sibling}/new.txt`]),
    attack: ({ plan }) => `${write(`${plan.sibling}/new.txt`)} ${write(`${plan.workspace}/../new.txt`)}`,
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.temporary', group, title: message('Make a file in the host’s temporary folders') },
    ...outside(({ absent }) => [absent.tmp, absent.varTmp, absent.shm]),
    attack: ({ plan }) => Object.values(plan.absent).map(write).join(' '),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.aboveRoot', group, title: message('Make a file through /.. and the roots of processes') },
    ...outside(({ sibling }) => [`${sibling}/above.txt`, `${sibling}/root.txt`]),
    attack: ({ plan }) =>
      `${write(`/..${plan.sibling}/above.txt`)} ${write(`/proc/1/root${plan.sibling}/root.txt`)}`,
    judge: keepsVictims,
  },
  {
    ...{
      id: 'write.throughLink',
      group,
      title: message('Write through a link in the workspace that leads out'),
    },
    ...outside(({ sibling }) => [`${sibling}/link.txt`]),
    attack: ({ plan }) => {
      const link = `${plan.workspace}/leads-out`;
      return `${attempt(() => String(symlinkSync(plan.sibling, link)))} ${write(`${link}/link.txt`)}`;
    },
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.image', group, title: message('Touch the image file on the host') },
    ...outside(({ image }) => [image]),
    // a change of its times can be seen, and does no harm
    attack: ({ plan }) =>
      attempt(() => {
        utimesSync(plan.image, new Date(), new Date());
        return 'touched';
      }),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.setId', group, title: message('Make a setuid program in the workspace') },
    victims: ({ workspace }) => [`${workspace}/program`],
    leavesNoTrace: true,
    attack: ({ plan, system }) => changeMode(system, `${plan.workspace}/program`, 0o4755),
    judge: keepsVictims,
  },
];

const rootNames = ['/usr', '/etc', '/bin', '/opt', '/lib'];

const kernel: readonly Probe[] = [
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

/** As `sandbox/judgeMounts.ts` allows them. */
const harmlessDevices = new Set(['null', 'zero', 'full', 'random', 'urandom', 'tty', 'console', 'ptmx']);

function ofRunDirectory(...names: string[]): NonNullable<Probe['places']> {
  return (_plan, runDirectory = '/') => names.map((name) => `${runDirectory}/inside/${name}`);
}

/** What the supervisor has put into the sandbox. */
const ours: readonly Probe[] = [
  {
    ...{ id: 'write.runDirectory', group, title: message('Change what the supervisor put into the sandbox') },
    inapplicable: oursAlone,
    victims: () => ['inside:new', 'inside:companion.mjs', 'inside:probes.mjs'],
    places: ofRunDirectory('new', 'companion.mjs', 'probes.mjs'),
    attack: () =>
      ['new', 'companion.mjs', 'probes.mjs'].map((name) => write(`/run/sandboxed-agent/${name}`)).join(' '),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.configuration', group, title: message('Change the configuration that beats all others') },
    inapplicable: oursAlone,
    victims: () => ['inside:opencode/opencode.json', 'inside:opencode/new'],
    places: ofRunDirectory('opencode/opencode.json', 'opencode/new'),
    attack: () => ['opencode.json', 'new'].map((name) => write(`/etc/opencode/${name}`)).join(' '),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.gateway', group, title: message('Replace the gateway’s socket') },
    inapplicable: (seen) =>
      oursAlone(seen) ??
      (seen.network === 'restricted' ? undefined : message('With this network there is no such socket.')),
    victims: () => ['inside:egress.sock'],
    places: ofRunDirectory('egress.sock'),
    attack: () =>
      attempt(() => {
        unlinkSync('/run/sandboxed-agent/egress.sock');
        writeFileSync('/run/sandboxed-agent/egress.sock', '');
        return 'replaced';
      }),
    judge: keepsVictims,
  },
  {
    ...{ id: 'write.hiddenHome', group, title: message('Write into the agent’s home through the workspace') },
    inapplicable: (seen) =>
      oursAlone(seen) ??
      (seen.plan.agentHome?.startsWith(seen.plan.workspace)
        ? undefined
        : message('The agent’s home is not in the workspace.')),
    // the second: where a later probe may have put it
    victims: ({ agentHome, workspace }) => [
      `${agentHome ?? ''}/through-workspace`,
      `${workspace}/old-home/through-workspace`,
    ],
    attack: ({ plan }) =>
      attempt(() => {
        mkdirSync(`${plan.agentHome ?? ''}/through-workspace`);
        return 'made';
      }),
    judge: (seen, probe) => {
      const { agentHome } = seen.plan;
      const isCovered = byKernel(({ mounts }) =>
        mounts.findLast(({ mountPoint }) => mountPoint === agentHome)?.readOnly === true
          ? keepsVictims(seen, probe)
          : notHeld(message('The host’s /proc shows that the sandbox can come to it, whatever it says.')),
      );
      return isCovered(seen, probe);
    },
  },
];

export const writeProbes: readonly Probe[] = [...files, ...kernel, ...ours];
