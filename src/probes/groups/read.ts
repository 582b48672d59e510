import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { message } from '../../sandbox/message';
import { connect, list, processes, read, readAll, type Attack } from '../inside/attack';
import { hasNoDescriptor, keepsDoorShut, keepsHidden, keepsSecret, needsSecret, oursAlone } from '../judges';
import type { Plan } from '../plan';
import type { Probe } from '../probe';

const group = 'read';

/** A folder of the host's through every process that can be seen. */
function throughProcesses(link: 'root' | 'cwd', path: string): string {
  return readAll(processes().map((pid) => `/proc/${pid}/${link}${path}`));
}

/** What is behind each descriptor of every process that can be seen, and in it when it is a folder. */
function readDescriptors({ plan }: Attack): string {
  const paths = processes().flatMap((pid) =>
    list(`/proc/${pid}/fd`)
      .split('\n')
      .filter((name) => Number(name) > 2)
      .map((name) => `/proc/${pid}/fd/${name}`),
  );
  return paths
    .filter((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      // a pipe would be waited for
      return stats?.isFile() === true || stats?.isDirectory() === true;
    })
    .map((path) => `${read(path)} ${readAll([`${path}/secret.txt`, `${path}${plan.home}/secret.txt`])}`)
    .join('\n');
}

const inHome = ({ home }: Plan): string[] => [`${home}/secret.txt`];
const inSibling = ({ sibling }: Plan): string[] => [`${sibling}/secret.txt`];

/** As the canaries have it. A file of the sandbox's own may be called anything. */
const descriptorFolder = ({ sibling }: Plan): string => `${dirname(sibling)}/descriptor`;

const noRuntime = message('There is no runtime folder of the user to hide something in.');

/** Reads of files: each looks for a random text that was hidden there. */
const files: readonly Probe[] = [
  {
    ...{ id: 'read.home', group, title: message('Read a secret file in the home folder') },
    places: inHome,
    attack: ({ plan }) => read(`${plan.home}/secret.txt`),
    judge: keepsSecret('home'),
  },
  {
    ...{ id: 'read.homeNames', group, title: message('List the home folder and the folders above it') },
    places: ({ home }) => [home],
    attack: ({ plan }) => [dirname(plan.home), plan.home].map(list).join('\n'),
    judge: keepsSecret('homeName'),
  },
  {
    ...{ id: 'read.otherUsers', group, title: message('Find the home folders of other users') },
    inapplicable: ({ plan }) =>
      plan.otherHomes.length === 0 ? message('This computer has no other home folders.') : undefined,
    places: ({ otherHomes }) => otherHomes,
    attack: ({ plan }) => plan.otherHomes.map(list).join('\n'),
    judge: keepsHidden,
  },
  {
    ...{ id: 'read.sibling', group, title: message('Read a file in the folder beside the workspace') },
    places: inSibling,
    attack: ({ plan }) => read(`${plan.sibling}/secret.txt`),
    judge: keepsSecret('sibling'),
  },
  {
    ...{ id: 'read.parent', group, title: message('Climb out of the workspace with ..') },
    places: inSibling,
    attack: ({ plan }) => readAll(climb(plan.workspace, plan.sibling)),
    judge: keepsSecret('sibling'),
  },
  {
    ...{ id: 'read.aboveRoot', group, title: message('Climb out of the root with /..') },
    places: (plan) => [...inHome(plan), ...inSibling(plan)],
    attack: ({ plan }) => readAll([`/..${plan.home}/secret.txt`, `/../../..${plan.sibling}/secret.txt`]),
    judge: keepsSecret('home', 'sibling'),
  },
  {
    ...{ id: 'read.initRoot', group, title: message('Read through the root of process 1') },
    ...{ places: inHome, apart: 'pid' },
    attack: ({ plan }) =>
      readAll([`/proc/1/root${plan.home}/secret.txt`, `/proc/1/cwd${plan.home}/secret.txt`]),
    judge: keepsSecret('home'),
  },
  {
    ...{
      id: 'read.processRoots',
      group,
      title: message('Read through the root of every process that can be seen'),
    },
    ...{ places: inHome, apart: 'pid' },
    attack: ({ plan }) => throughProcesses('root', `${plan.home}/secret.txt`),
    judge: keepsSecret('home'),
  },
  {
    ...{
      id: 'read.processFolders',
      group,
      title: message('Read through the folder in which a process of the host is'),
    },
    apart: 'pid',
    attack: ({ plan }) =>
      `${throughProcesses('cwd', '/secret.txt')} ${read(`/proc/${plan.hostPid}/cwd/secret.txt`)}`,
    judge: keepsSecret('home'),
  },
  {
    ...{ id: 'read.descriptors', group, title: message('Read through descriptors that were inherited') },
    inapplicable: needsSecret('descriptor', message('No descriptor could be planted here.')),
    attack: readDescriptors,
    judge: (seen, probe) => {
      const judgement = hasNoDescriptor({ test: (target) => target === descriptorFolder(seen.plan) })(
        seen,
        probe,
      );
      return judgement.result === 'held' ? keepsSecret('descriptor', 'home')(seen, probe) : judgement;
    },
  },
  {
    ...{ id: 'read.temporary', group, title: message('List the temporary folders of the host') },
    places: ({ absent }) => Object.values(absent),
    attack: () => ['/tmp', '/var/tmp', '/dev/shm'].map(list).join('\n'),
    judge: keepsSecret('temporaryName'),
  },
  {
    ...{ id: 'read.runtime', group, title: message('Read a file in the user’s runtime folder (/run/user)') },
    inapplicable: needsSecret('runtime', noRuntime),
    places: ({ runtimeSecret }) => [runtimeSecret],
    attack: ({ plan }) => `${read(plan.runtimeSecret ?? '/')} ${list(`/run/user/${plan.uid}`)}`,
    judge: keepsSecret('runtime'),
  },
  {
    ...{ id: 'read.xAuthority', group, title: message('Read the key of the X server (XAUTHORITY)') },
    places: ({ xAuthority }) => [xAuthority],
    attack: ({ plan }) => readAll([plan.xAuthority, process.env['XAUTHORITY'] ?? '/']),
    judge: keepsSecret('xAuthority'),
  },
  {
    ...{ id: 'read.control', group, title: message('Read the supervisor’s own folder') },
    inapplicable: oursAlone,
    places: (_plan, runDirectory = '/run') => [`${runDirectory}/control/secret`],
    attack: ({ plan }) =>
      readAll(['/run/sandboxed-agent/../control/secret', `${plan.sibling}/../control/secret`]),
    judge: keepsSecret('control'),
  },
];

function climb(from: string, to: string): string[] {
  const depth = from.split('/').length - 1;
  const name = to.slice(dirname(to).length);
  return [`${from}/..${name}/secret.txt`, `${from}${'/..'.repeat(depth)}${to}/secret.txt`];
}

/** Services of the user that listen on a unix socket: whoever reaches one acts as the user. */
function service(id: string, title: Probe['title'], variable: string): Probe {
  return {
    ...{ id, group, title, door: 'path', places: ({ doors }) => [doors[id]] },
    attack: async ({ door }) => {
      const named = (process.env[variable] ?? '').replace(/^unix:(path=|\/\/)?/, '');
      return `${await connect({ path: door })} ${named === '' ? 'no variable' : await connect({ path: named })}`;
    },
    judge: keepsDoorShut,
  };
}

/** Variables by which programs find services of the user; each probe's door is what the variable names. */
export const serviceVariables: Readonly<Record<string, string>> = {
  'read.sshAgent': 'SSH_AUTH_SOCK',
  'read.messageBus': 'DBUS_SESSION_BUS_ADDRESS',
  'read.docker': 'DOCKER_HOST',
  'read.editor': 'VSCODE_IPC_HOOK_CLI',
  'read.gpgAgent': 'GPG_AGENT_INFO',
};

const services: readonly Probe[] = [
  service('read.sshAgent', message('Use the SSH agent (SSH_AUTH_SOCK)'), 'SSH_AUTH_SOCK'),
  service('read.messageBus', message('Use the session’s message bus (D-Bus)'), 'DBUS_SESSION_BUS_ADDRESS'),
  service('read.docker', message('Use a Docker or Podman socket (DOCKER_HOST)'), 'DOCKER_HOST'),
  service('read.editor', message('Use VS Code’s own socket (VSCODE_IPC_HOOK_CLI)'), 'VSCODE_IPC_HOOK_CLI'),
  service('read.gpgAgent', message('Use the GnuPG agent'), 'GPG_AGENT_INFO'),
];

export const readProbes: readonly Probe[] = [...files, ...services];
