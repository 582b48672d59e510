import assert from 'node:assert/strict';
import type { LaunchPlan } from '../../../src/sandbox/launchPlan';
import { isSameOrInside } from '../../../src/sandbox/paths';
import type { Breakage } from './unverifiedTarget';

/** Takes `count` arguments away, from `first` on. */
function without(plan: LaunchPlan, first: string, count: number): LaunchPlan {
  const at = plan.arguments.indexOf(first);
  assert.notEqual(at, -1, `${first} is not in the plan`);
  return { ...plan, arguments: plan.arguments.toSpliced(at, count) };
}

/** Puts arguments before the first `--mount`. */
function adding(plan: LaunchPlan, ...extra: string[]): LaunchPlan {
  return { ...plan, arguments: plan.arguments.toSpliced(plan.arguments.indexOf('--mount'), 0, ...extra) };
}

function replacing(plan: LaunchPlan, change: (argument: string) => string): LaunchPlan {
  return { ...plan, arguments: plan.arguments.map(change) };
}

function bind(path: string, destination = path): string[] {
  return ['--mount', `type=bind,source=${path},destination=${destination}`];
}

/** Without the mounts that match. */
function withoutMounts(plan: LaunchPlan, pattern: RegExp): LaunchPlan {
  const { arguments: args } = plan;
  const isMount = (index: number): boolean =>
    args[index] === '--mount' && pattern.test(args[index + 1] ?? '');
  const kept = args.filter((_argument, index) => !isMount(index) && !isMount(index - 1));
  assert.notEqual(kept.length, args.length, `no mount matches ${String(pattern)}`);
  return { ...plan, arguments: kept };
}

/** The run directory of a plan. */
function runDirectoryOf(plan: LaunchPlan): string {
  const profile = plan.arguments.find((argument) => argument.startsWith('seccomp:')) ?? '';
  return profile.slice('seccomp:'.length).replace('/control/seccomp.json', '');
}

/** One way to break a sandbox, and exactly the probes that see it. */
export interface KnownBreakage {
  readonly how: string;
  readonly breakage: Breakage;
  readonly seenBy: readonly string[];
  /** whether these see it depends on this computer: its kernel's settings, and who owns Apptainer */
  readonly maybeSeenBy?: readonly string[];
  /** what the host can't see for itself: only an honest program inside tells of it */
  readonly hiddenFromHost?: readonly string[];
}

const proxyProbes = [
  ...['Loopback', 'Localhost', 'Loopback6', 'Mapped', 'Decimal', 'Short', 'Zero', 'OtherLoopback'],
  ...['TrailingDot', 'Unicode', 'FullWidth', 'UserInfo', 'AbsoluteForm', 'HostMismatch', 'TwoHosts'],
  ...['OtherPort', 'Smuggling', 'Pipeline'],
].map((name) => `network.proxy${name}`);

/** They need an address that not every computer has. */
const addressProbes = ['network.proxyPrivateName', 'network.proxyOwnAddress'];

const runDirectoryProbes = ['read.control', 'write.runDirectory', 'write.configuration', 'write.gateway'];

/** What is seen besides where this folder holds the run directories of these tests. */
function seenWithRunDirectory(folder: string): readonly string[] {
  return isSameOrInside(folder, process.env['XDG_RUNTIME_DIR'] ?? '/tmp') ? runDirectoryProbes : [];
}

export const breakages: readonly KnownBreakage[] = [
  {
    how: 'with the home folder bound',
    breakage: { plan: (plan) => adding(plan, ...bind(process.env['HOME'] ?? '/')) },
    seenBy: [
      ...['read.home', 'read.homeNames', 'read.aboveRoot', 'read.initRoot', 'read.processRoots'],
      ...['read.runtime', 'read.sshAgent', 'read.messageBus', 'read.docker', 'read.editor', 'read.gpgAgent'],
      ...['write.home', 'write.homeNew', 'network.socket'],
      ...seenWithRunDirectory(process.env['HOME'] ?? '/'),
    ],
  },
  {
    how: 'with /tmp bound',
    breakage: { plan: (plan) => adding(plan, ...bind('/tmp')) },
    seenBy: [
      ...['read.sibling', 'read.parent', 'read.aboveRoot', 'read.temporary', 'read.xAuthority'],
      ...['write.sibling', 'write.temporary', 'write.aboveRoot', 'write.throughLink'],
      ...['environment.bind', 'environment.mount'],
      ...seenWithRunDirectory('/tmp'),
    ],
  },
  {
    how: 'with the home folder of another user bound',
    breakage: { plan: (plan) => adding(plan, ...bind('/root', '/mnt')) },
    seenBy: ['read.otherUsers'],
  },
  {
    how: 'with what the supervisor made visible and writable',
    breakage: {
      plan: (plan) => {
        const open = withoutMounts(plan, /\/agent-home,ro$/);
        const control = bind(`${runDirectoryOf(plan)}/control`, '/run/control');
        return adding(
          replacing(open, (argument) =>
            argument.replace(/(destination=\/(?:run\/sandboxed-agent|etc\/opencode)),ro$/, '$1'),
          ),
          ...control,
        );
      },
    },
    seenBy: [
      ...[...runDirectoryProbes, 'write.hiddenHome'],
      // the gateway's socket was replaced, so nothing of it can be proven
      ...['network.control', 'network.metadata', 'network.deniedHost', ...proxyProbes],
    ],
    maybeSeenBy: addressProbes,
    // who replaces nothing can show that it works
    hiddenFromHost: ['network.control'],
  },
  {
    how: 'with the repositories in its folder writable',
    breakage: {
      plan: (plan) => withoutMounts(plan, /\/\.git,ro$/),
    },
    seenBy: ['gitConfig', 'gitHook', 'gitCommonDir', 'gitAttributes', 'nestedConfig', 'gitRename'].map(
      (name) => `hostExecuted.${name}`,
    ),
  },
  {
    how: 'with the rest writable that the host acts on',
    breakage: {
      plan: (plan, { workspace }) =>
        replacing(plan, (argument) =>
          argument.includes(`destination=${workspace}/`) && !/(agent-home|\.git),ro$/.test(argument)
            ? argument.replace(/,ro$/, '')
            : argument,
        ),
    },
    seenBy: [
      ...['editorSettings', 'editorTasks', 'editorLaunch', 'workspaceFile', 'container', 'workflow'],
      ...['pipeline', 'shellEnvironment', 'husky', 'preCommit', 'otherEditor', 'toolVersions'],
    ].map((name) => `hostExecuted.${name}`),
  },
  {
    how: 'with the user’s environment',
    breakage: {
      specification: (specification, { modelKey }) => ({
        ...specification,
        insideEnvironment: { ...specification.insideEnvironment, KEY: modelKey },
      }),
      // without --containall: it cleans the environment, too
      plan: (plan, { environment }) => {
        const bare = replacing(without(plan, '--cleanenv', 1), (argument) =>
          argument === '--containall' ? '--contain' : argument,
        );
        return { ...bare, environment: { ...environment, ...plan.environment } };
      },
    },
    seenBy: [
      ...['environment.plain', 'environment.apptainer', 'environment.singularity', 'environment.file'],
      ...['environment.apiToken', 'environment.bind', 'environment.mount', 'environment.init'],
      'environment.modelKey',
      // it has made namespaces for processes and their messages, too
      ...['process.list', 'process.signal', 'process.namespace', 'limits.stop'],
      // the kernel may refuse these all the same; nothing that the host sees says so
      ...['process.environment', 'process.memory', 'process.trace'],
      ...['read.initRoot', 'read.processRoots', 'read.processFolders'],
    ],
    // ipcmk is not everywhere
    maybeSeenBy: ['process.messageQueue'],
  },
  {
    how: 'with the host’s network',
    breakage: { plan: (plan) => without(plan, '--net', 3) },
    seenBy: ['loopback', 'datagram', 'abstractSocket', 'routes', 'names'].map((name) => `network.${name}`),
    maybeSeenBy: ['network.loopback6', 'network.ownAddress'],
  },
  {
    how: 'with the host’s name, its kernel files, its devices and a descriptor',
    breakage: {
      plan: (plan, canaries) => {
        const shared = replacing(without(plan, '--hostname', 2), (argument) =>
          argument.replace('sys,bind-paths', 'bind-paths'),
        );
        const { file, arguments: args } = adding(shared, ...bind('/dev'));
        canaries.planted('descriptor');
        const shell = 'folder=$1; shift; exec 9<"$folder"; exec "$@"';
        return {
          ...plan,
          file: '/bin/sh',
          arguments: ['-c', shell, 'sh', canaries.descriptorFolder, file, ...args],
        };
      },
    },
    seenBy: ['write.kernelFiles', 'process.hostName', 'write.devices', 'read.descriptors'],
    maybeSeenBy: ['read.temporary', 'write.temporary', 'process.sharedMemory'],
  },
  {
    how: 'with capabilities and without a filter of system calls',
    breakage: {
      plan: (plan) =>
        adding(
          without(without(plan, '--drop-caps', 2), '--security', 2),
          ...['--add-caps', 'CAP_SYS_ADMIN,CAP_NET_ADMIN'],
        ),
    },
    seenBy: [
      ...[
        'write.setId',
        'write.kernelSettings',
        'privilege.capabilities',
        'privilege.filter',
        'privilege.mount',
      ],
      ...['privilege.userNamespace', 'privilege.clone3', 'privilege.nestedMount', 'privilege.listener'],
    ],
    maybeSeenBy: [
      ...['write.launcher', 'process.keyring', 'privilege.ioUring', 'privilege.performance'],
      ...['privilege.userFaults', 'terminal.type', 'terminal.typeHighBits'],
    ],
  },
  {
    how: 'with a naive gateway',
    breakage: { hasNaiveGateway: true },
    seenBy: [
      ...proxyProbes,
      ...[
        'network.metadata',
        'network.deniedHost',
        'network.modelWithoutToken',
        'network.modelOtherPath',
        'network.modelRedirect',
      ],
    ],
    maybeSeenBy: addressProbes,
  },
  {
    how: 'with a root that can be written',
    breakage: { plan: (plan) => adding(plan, '--writable-tmpfs') },
    // where the host is kept out, it can’t say that all is well
    seenBy: ['write.root'],
    maybeSeenBy: ['write.devices'],
  },
];
