import assert from 'node:assert/strict';
import type { ContainerFacts } from '../../../src/sandbox/facts';
import { judge } from '../../../src/sandbox/judge';
import { parseMountinfo } from '../../../src/sandbox/mountinfo';
import { expectation, facts, image, mounts, workspace } from '../../support/containerFacts';
import { isStale, type FactName, type LineStatus } from '../../../src/sandbox/verdict';

function lineOf(
  fact: FactName,
  changed: Partial<ContainerFacts>,
  phase: 'gate' | 'running' = 'gate',
): LineStatus {
  const verdict = judge({ ...facts, ...changed }, expectation, phase);
  const line = verdict.lines.find((candidate) => candidate.fact === fact);
  assert.ok(line, `${fact} has a line`);
  if (line.status === 'broken') {
    assert.equal(verdict.state, 'broken');
  }
  return line.status;
}

const withMount = (line: string) => ({ mounts: [...mounts, ...parseMountinfo(line)] });
const withoutMount = (mountPoint: string) => ({
  mounts: mounts.filter((mount) => mount.mountPoint !== mountPoint),
});
const [process] = facts.processes;
const withProcess = (changes: object) => ({ processes: [{ ...process!, ...changes }, process!] });

describe('judge', () => {
  it('finds a sandbox as asked for isolated, with a line for each fact', () => {
    const verdict = judge(facts, expectation, 'gate');
    assert.equal(verdict.state, 'isolated', JSON.stringify(verdict.lines));
    assert.equal(verdict.network, 'none');
    assert.equal(verdict.lines.length, 17);
    assert.equal(new Set(verdict.lines.map(({ fact }) => fact)).size, 17);
    assert.deepEqual(verdict.visiblePaths, [
      { hostPath: '/data/w', containerPath: '/data/w', mode: 'readWrite' },
      { hostPath: '/tmp/run/inside', containerPath: '/run/sandboxed-agent', mode: 'readOnly' },
    ]);
  });

  for (const [fact, name] of [
    ['mountNamespace', 'mnt'],
    ['processNamespace', 'pid'],
    ['ipcNamespace', 'ipc'],
    ['userNamespace', 'user'],
    ['hostnameNamespace', 'uts'],
    ['network', 'net'],
  ] as const) {
    for (const state of ['shared', 'unreadable'] as const) {
      it(`breaks ${fact} when the ${name} namespace is ${state}`, () => {
        assert.equal(lineOf(fact, { namespaces: { ...facts.namespaces, [name]: state } }), 'broken');
      });
    }
  }

  it('says that an open network is open, and holds it to be what was asked for', () => {
    const shared = { ...facts, namespaces: { ...facts.namespaces, net: 'shared' as const } };
    const verdict = judge(shared, { ...expectation, network: 'open' }, 'gate');
    assert.equal(verdict.state, 'isolated');
    assert.equal(verdict.network, 'open');
  });

  it('breaks the network when a closed one has an interface', () => {
    assert.equal(lineOf('network', { interfaces: ['lo', 'eth0'] }), 'broken');
  });

  const broken: [FactName, string, Partial<ContainerFacts>][] = [
    ['capabilities', 'one process holds one', withProcess({ capabilities: 0x200000n })],
    ['capabilities', 'one process holds the least of them', withProcess({ capabilities: 1n })],
    ['capabilities', 'no process could be read', { processes: [] }],
    ['capabilities', 'there are too many processes', { isCrowded: true }],
    ['launcher', 'it can’t be identified', { launcher: undefined }],
    ['launcher', 'it was changed', { launcher: { isOurs: true, isOpenToOthers: false, isUnchanged: false } }],
    [
      'launcher',
      'others may change it',
      { launcher: { isOurs: true, isOpenToOthers: true, isUnchanged: true } },
    ],
    [
      'network',
      'a service of the host lets the agent in',
      { namespaces: { ...facts.namespaces, net: 'shared' }, hostServices: ['X server'] },
    ],
    ['noNewPrivileges', 'one process lacks it', withProcess({ noNewPrivileges: false })],
    ['seccomp', 'one process has no filter', withProcess({ seccompMode: 0 })],
    ['hostPaths', 'another folder is visible', withMount('130 93 8:1 /home/me /mnt ro - ext4 /dev/sda1 rw')],
    ['hostPaths', 'the host’s root is visible', withMount('130 93 8:1 / /mnt ro - ext4 /dev/sda1 rw')],
    [
      'hostPaths',
      'another terminal is visible',
      withMount('130 93 0:22 /4 /dev/console rw - devpts devpts rw'),
    ],
    ['hostPaths', 'a bind is missing', withoutMount('/run/sandboxed-agent')],
    ['hostPaths', 'the workspace is missing', withoutMount('/data/w')],
    [
      'hostPaths',
      'the workspace is another folder',
      { identities: new Map([['/data/w', { ...workspace, inode: '12' }]]) },
    ],
    ['hostPaths', 'the workspace can’t be identified', { identities: new Map() }],
    ['kernelInterfaces', 'sysfs is there', withMount('130 93 0:21 / /sys rw - sysfs sysfs rw')],
    [
      'kernelInterfaces',
      'a cgroup is there',
      withMount('130 93 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup rw'),
    ],
    ['kernelInterfaces', 'the host’s /proc is there', withMount('130 93 0:20 / /mnt rw - proc proc rw')],
    ['kernelInterfaces', 'the host’s /proc is at /proc', withMount('130 93 0:20 / /proc rw - proc proc rw')],
    ['kernelInterfaces', 'a disk is there', withMount('130 93 0:6 /sda /dev/sda rw - devtmpfs udev rw')],
    [
      'kernelInterfaces',
      'a FUSE file system is there',
      withMount('130 93 0:99 / /mnt rw - fuse.sshfs host: rw'),
    ],
    [
      'kernelInterfaces',
      'an overlay is there',
      withMount('130 93 0:99 / /mnt rw - overlay overlay rw,upperdir=/x'),
    ],
    [
      'rootFileSystem',
      'it is writable',
      withMount('130 1 0:90 / / rw - overlay overlay rw,lowerdir=/session/rootfs'),
    ],
    [
      'rootFileSystem',
      'it has an upper folder',
      withMount('130 1 0:90 / / ro - overlay overlay ro,lowerdir=/l,upperdir=/u'),
    ],
    ['rootFileSystem', 'it is no overlay', withMount('130 1 0:90 / / ro - ext4 /dev/loop0 ro')],
    ['rootFileSystem', 'there is none', withoutMount('/')],
    ['image', 'none is served', { imageServers: [] }],
    ['image', 'two are served', { imageServers: [...facts.imageServers, ...facts.imageServers] }],
    [
      'image',
      'it can’t be identified',
      { imageServers: [{ pid: 5, mountPoint: '/session/rootfs', image: undefined }] },
    ],
    [
      'image',
      'it is another file',
      { imageServers: [{ pid: 5, mountPoint: '/session/rootfs', image: { ...image, inode: '78' } }] },
    ],
    [
      'image',
      'it was changed in place',
      { imageServers: [{ pid: 5, mountPoint: '/session/rootfs', image: { ...image, changedTime: '6' } }] },
    ],
    [
      'image',
      'the root comes from elsewhere',
      withMount('130 1 0:90 / / ro - overlay overlay ro,lowerdir=/session/overlay-lowerdir:/other'),
    ],
    [
      'image',
      'a folder lies over it',
      withMount('130 1 0:90 / / ro - overlay overlay ro,lowerdir=/home/me:/session/rootfs'),
    ],
    [
      'descriptors',
      'a file of the host is open',
      { foreignDescriptors: [{ pid: 9, descriptor: 9, target: '/home/me/secret' }] },
    ],
    [
      'descriptors',
      'a pipe is open',
      { foreignDescriptors: [{ pid: 9, descriptor: 9, target: 'pipe:[123]' }] },
    ],
    [
      'descriptors',
      'another terminal is open',
      { foreignDescriptors: [{ pid: 9, descriptor: 9, target: '/dev/pts/4' }] },
    ],
    ['descriptors', 'they can’t be read', { unreadableDescriptors: [9] }],
    ['descriptors', 'those at the gate can’t be read', { inheritedStreams: undefined }],
    ['environment', 'it can’t be read', { environmentNames: undefined }],
    ['network', 'its interfaces can’t be read', { interfaces: undefined }],
    [
      'hostPaths',
      'a part of a disk is visible that the host does not show',
      {
        ...withMount('130 93 8:1 /@secrets /mnt ro - btrfs /dev/sda1 rw'),
        hostMounts: parseMountinfo('21 1 8:1 /@ / rw - btrfs /dev/sda1 rw'),
      },
    ],
    [
      'kernelInterfaces',
      'a disk is at the place of a harmless device',
      withMount('130 93 0:6 /sda /dev/zero rw - devtmpfs udev rw'),
    ],
    ...[
      'http_proxy',
      'HTTPS_PROXY',
      'all_proxy',
      'LD_PRELOAD',
      'NODE_OPTIONS',
      'SSH_AUTH_SOCK',
      'OPENAI_API_KEY',
      'GITHUB_TOKEN',
    ].map((name): [FactName, string, Partial<ContainerFacts>] => [
      'environment',
      `${name} is set`,
      { environmentNames: ['PATH', name] },
    ]),
  ];
  for (const [fact, how, changed] of broken) {
    it(`breaks ${fact} when ${how}`, () => {
      assert.equal(lineOf(fact, changed), 'broken');
    });
  }

  it('knows a folder by the path that was asked for when the host mounts its file system twice', () => {
    const twice = parseMountinfo('30 21 8:1 /data /bind rw - ext4 /dev/sda1 rw').concat(facts.hostMounts);
    assert.equal(lineOf('hostPaths', { hostMounts: twice }), 'holds');
  });

  it('lets a variable be that the image sets', () => {
    const changed = { environmentNames: ['PATH', 'BASH_ENV'], imageVariables: ['BASH_ENV'] };
    assert.equal(lineOf('environment', changed), 'holds');
  });

  it('says no name that the sandbox chose, once it runs', () => {
    const foreignDescriptors = [{ pid: 9, descriptor: 9, target: '/data/chosen by the agent' }];
    const verdict = judge({ ...facts, foreignDescriptors }, expectation, 'running');
    assert.equal(verdict.state, 'broken');
    assert.doesNotMatch(JSON.stringify(verdict.lines), /chosen by the agent/);
  });

  it('lets a variable be that we set ourselves', () => {
    const verdict = judge(
      { ...facts, environmentNames: ['http_proxy'] },
      { ...expectation, environmentNames: ['http_proxy'] },
      'gate',
    );
    assert.equal(verdict.state, 'isolated');
  });

  it('says which variables the user gave to the agent', () => {
    const verdict = judge(
      { ...facts, environmentNames: ['HF_TOKEN'] },
      { ...expectation, shownNames: ['HF_TOKEN'] },
      'gate',
    );
    assert.equal(verdict.state, 'isolated');
    const line = verdict.lines.find(({ fact }) => fact === 'environment');
    assert.match(line?.detail.text ?? '', /besides what you gave to the agent/);
    assert.deepEqual(line?.detail.values, ['HF_TOKEN']);
  });

  it('grows stale after five seconds', () => {
    const verdict = judge(facts, expectation, 'gate');
    assert.equal(isStale(verdict, 6000), false);
    assert.equal(isStale(verdict, 6001), true);
  });
});
