import type { ContainerFacts } from '../../src/sandbox/facts';
import type { Expectation } from '../../src/sandbox/launchPlan';
import { parseMountinfo } from '../../src/sandbox/mountinfo';

export const workspace = { device: '2049', inode: '11', size: '4096', changedTime: '1' };
export const image = { device: '2049', inode: '77', size: '1000', changedTime: '5' };

const hostMounts = parseMountinfo(`
21 1 8:1 / / rw - ext4 /dev/sda1 rw
22 21 0:20 / /proc rw - proc proc rw
23 21 0:21 / /sys rw - sysfs sysfs rw
24 21 0:6 / /dev rw - devtmpfs udev rw
25 24 0:22 / /dev/pts rw - devpts devpts rw`);

/** What a container has mounted, as Apptainer 1.4.5 makes it (measured). */
export const mounts = parseMountinfo(`
93 64 0:42 / / rw,nodev - overlay overlay ro,lowerdir=/session/overlay-lowerdir:/session/rootfs
103 93 0:40 /dev /dev rw,nosuid - tmpfs tmpfs rw
106 103 0:47 / /dev/pts rw - devpts devpts rw
107 103 0:6 /tty /dev/tty rw - devtmpfs udev rw
108 103 0:6 /null /dev/null rw - devtmpfs udev rw
109 103 0:22 /3 /dev/console rw - devpts devpts rw
112 93 0:48 / /proc rw - proc proc rw
113 93 0:40 /tmp /tmp rw - tmpfs tmpfs rw
120 93 8:1 /data/w /data/w rw - ext4 /dev/sda1 rw
121 93 8:1 /tmp/run/inside /run/sandboxed-agent ro - ext4 /dev/sda1 rw`);

const starterMounts = parseMountinfo(`
60 1 8:1 / / rw - ext4 /dev/sda1 rw
61 60 0:40 / /session rw - tmpfs tmpfs rw
62 61 0:41 / /session/rootfs ro - fuse.squashfuse_ll squashfuse_ll rw`);

/** A container in which every fact holds. */
export const facts: ContainerFacts = {
  time: 1000,
  namespaces: { mnt: 'own', pid: 'own', ipc: 'own', user: 'own', uts: 'own', net: 'own' },
  mounts,
  hostMounts,
  starterMounts,
  imageServers: [{ pid: 5, mountPoint: '/session/rootfs', image }],
  identities: new Map([['/data/w', workspace]]),
  processes: [{ pid: 9, capabilities: 0n, noNewPrivileges: true, seccompMode: 2 }],
  isCrowded: false,
  launcher: { isOurs: true, isOpenToOthers: false, isUnchanged: true },
  hostServices: [],
  foreignDescriptors: [{ pid: 9, descriptor: 0, target: '/dev/pts/3' }],
  inheritedStreams: [],
  unreadableDescriptors: [],
  terminal: '/dev/pts/3',
  interfaces: ['lo'],
  environmentNames: ['PATH', 'HOME', 'COLORTERM'],
  imageVariables: [],
};

/** What was asked for. */
export const expectation: Expectation = {
  network: 'none',
  binds: [
    { source: '/data/w', destination: '/data/w', mode: 'readWrite', identity: workspace },
    { source: '/tmp/run/inside', destination: '/run/sandboxed-agent', mode: 'readOnly' },
  ],
  image,
  environmentNames: ['COLORTERM'],
  shownNames: [],
};
