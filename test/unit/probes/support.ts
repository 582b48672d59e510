import type { Seen, SecretName } from '../../../src/probes/seen';
import { floodBytes, nextStartMarks, secretNames } from '../../../src/probes/seen';
import { judgeProbe, placesOf, type Judgement, type Probe } from '../../../src/probes/probe';
import { probes } from '../../../src/probes/probes';
import type { Plan } from '../../../src/probes/plan';
import type { Mount } from '../../../src/sandbox/mountinfo';

export const plan: Plan = {
  ...{
    token: '0123456789abcdef',
    uid: 1000,
    workspace: '/w',
    agentHome: '/w/agent-home',
    sibling: '/s',
    home: '/h',
  },
  absent: { tmp: '/tmp/a', varTmp: '/var/tmp/a', shm: '/dev/shm/a' },
  ...{ otherHomes: ['/root'], resolverSockets: ['/run/nscd/socket'] },
  ...{ runtimeSecret: '/run/r', sharedMemorySecret: '/dev/shm/s', xAuthority: '/x', image: '/i.sif' },
  ...{ hostPid: 1, keySerial: 1, messageQueue: 1, hostAddress: '192.0.2.1', hostName: 'host' },
  doors: Object.fromEntries(probes.map(({ id }, index) => [id, String(1000 + index)])),
  ...{ controlPort: '1', modelProvider: 'probe', mayTryRoutes: true },
};

export const secrets = Object.fromEntries(
  secretNames.map((name, index) => [name, `secret-${String(index).padStart(32, '0')}`]),
) as Record<SecretName, string>;

const places = probes.flatMap((probe) => placesOf(probe, plan, '/run/x'));

const victimNames = probes.flatMap(({ victims }) => victims?.(plan) ?? []);

/** Of whatever. */
function mountAt(mountPoint: string, fileSystem: string, source: string): Mount {
  const what = { mountPoint, fileSystem, source, device: '0:1', root: '/' };
  return { id: 1, ...what, readOnly: fileSystem !== 'sysfs', noExecution: false, superOptions: [] };
}

/** What the host sees of a sandbox that withstands everything. */
export function seenOfGood(changes: Partial<Seen> = {}): Seen {
  return {
    ...{ plan, target: 'ours', network: 'restricted', secrets, arrivals: new Map<string, number>() },
    reports: new Map(probes.map(({ id }) => [id, { said: 'EACCES' }])),
    ...{
      controlArrived: true,
      modelRequests: ['GET /v1/models?case=control signed', 'GET case=redirect signed'],
    },
    victims: new Map(victimNames.map((name) => [name, 'same' as const])),
    kernel: {
      mounts: [mountAt('/w/agent-home', 'ext4', '/dev/sda')],
      ...{ sharedNamespaces: [], interfaces: ['lo'], devices: ['null'], rootChanges: [] },
      userNamespace: 'user:[1]',
      processes: Array.from({ length: 30 }, () => process('user:[1]')),
      exposed: new Map(places.map((path) => [path, 'none' as const])),
      variables: new Set(),
      ...{ sharesProcessGroup: false, sharesTerminal: false },
      ...{ processLimit: 100, memoryLimit: 1e9, temporaryBytes: 64e6 },
    },
    ...{ stream: '', isStreamWhole: true, signals: [], hostIsTraced: false, messagesArrived: false },
    marked: new Set(probes.map(({ id }) => id)),
    networkEntries: [
      ...['169.254.169.254', 'host-x.invalid', `${plan.token}.invalid`].map((host) => ({ host, port: 80 })),
      ...Object.values(plan.doors).flatMap((port) =>
        ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '127.1.2.3'].map((host) => ({
          host,
          port: Number(port),
        })),
      ),
    ].map(({ host, port }, index) => ({
      ...{ id: index + 1, time: 0, host, port, kind: 'plain' as const, verdict: 'denied' as const },
      ...{ bytesSent: 0, bytesReceived: 0 },
    })),
    ...{
      launcherHasSetId: false,
      end: { left: 0 },
      next: { isNotWeaker: true, marks: [], endsWhenFull: true },
    },
    ...{ floodedUnits: 1000, floodRead: floodBytes, runDirectory: '/run/x' },
    ...changes,
  };
}

function process(userNamespace: string): NonNullable<Seen['kernel']>['processes'][number] {
  return {
    ...{ pid: 2, capabilities: 0n, noNewPrivileges: true, seccompMode: 2, ignoresEnd: true, userNamespace },
    ...{ descriptors: ['/dev/null'], mounts: [] },
  };
}

/** What the host sees of a sandbox that withstands nothing. */
export function seenOfBad(): Seen {
  const { token } = plan;
  const mounts = [token, `${token}-n`].map((source) => mountAt('/sys', 'sysfs', source));
  const descriptors = ['[io_uring]', 'bpf-map', '[perf_event]', '[userfaultfd]', 'seccomp notify'];
  const everything = Object.values(secrets).join(' ');
  return seenOfGood({
    reports: new Map(probes.map(({ id }) => [id, { said: everything }])),
    arrivals: new Map(probes.map(({ id }) => [id, 1])),
    ...{ controlArrived: false, modelRequests: ['GET without-token', 'DELETE other-path'] },
    victims: new Map(victimNames.map((name) => [name, 'changed' as const])),
    kernel: {
      sharedNamespaces: ['mnt', 'pid', 'ipc', 'user', 'uts', 'net'],
      ...{
        mounts,
        interfaces: ['lo', 'eth0'],
        devices: ['sda'],
        rootChanges: ['/usr'],
        userNamespace: 'user:[1]',
        exposed: new Map(places.map((path) => [path, 'writable' as const])),
        variables: new Set(secretNames),
      },
      processes: ['user:[1]', 'user:[2]'].map((userNamespace) => ({
        ...{
          pid: 2,
          capabilities: 1n,
          noNewPrivileges: false,
          seccompMode: 0,
          ignoresEnd: false,
          userNamespace,
          mounts,
        },
        descriptors: [...descriptors.map((name) => `anon_inode:${name}`), '/proc/sys/net/ipv4/ip_forward'],
      })),
      ...{ sharesProcessGroup: true, sharesTerminal: true },
      ...{ processLimit: undefined, memoryLimit: undefined, temporaryBytes: undefined },
    },
    stream: streamOf(token),
    ...{
      signals: ['signal'],
      hostIsTraced: true,
      messagesArrived: true,
      networkEntries: [],
      launcherHasSetId: true,
    },
    ...{
      end: { left: 3 },
      next: { isNotWeaker: false, marks: nextStartMarks, endsWhenFull: false },
      floodedUnits: 5e6,
    },
  });
}

/** All that the probes of the terminal print, and the echo of what they type. */
function streamOf(token: string): string {
  let stream = `typed-type-${token} typed-typeHighBits-${token}`;
  for (const probe of probes.filter(({ group }) => group === 'terminal')) {
    const system = { call: () => 0, child: () => undefined, addressOf: () => 0n };
    void probe.attack({ plan, door: '', system, print: (text) => (stream += text) });
  }
  return stream;
}

/** What comes of every probe. */
export function judgeAll(seen: Seen): { readonly probe: Probe; readonly judgement: Judgement }[] {
  return probes.map((probe) => ({ probe, judgement: judgeProbe(probe, seen) }));
}
