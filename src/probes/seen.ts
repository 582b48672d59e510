import type { NetworkEntry } from '../gateway/gateway';
import type { Mount } from '../sandbox/mountinfo';
import type { NetworkMode } from '../sandbox/specification';
import type { Plan } from './plan';

/** What one probe said of itself. */
export interface ProbeReport {
  readonly said: string;
  /** why it could not even try */
  readonly failure?: string | undefined;
}

/** Names of the random texts that are hidden on the host. */
export const secretNames = [
  'home',
  'sibling',
  'runtime',
  'sharedMemory',
  'xAuthority',
  'processEnvironment',
  'processArguments',
  'temporaryName',
  'homeName',
  'variable',
  'apptainerVariable',
  'singularityVariable',
  'environmentFile',
  'proxyPassword',
  'apiToken',
  'bound',
  'mounted',
  'keyring',
  'descriptor',
  'control',
  'modelKey',
] as const;
export type SecretName = (typeof secretNames)[number];

/** Whether programs of a sandbox can come to a path of the host under any name, and what they can do there. */
export type Exposure = 'none' | 'readOnly' | 'writable';

/** What became of a file or folder of the host. */
export type VictimState = 'same' | 'changed' | 'appeared' | 'gone';

/** One process of the sandbox as the host's /proc shows it. */
export interface SeenProcess {
  readonly pid: number;
  readonly capabilities: bigint;
  readonly noNewPrivileges: boolean;
  readonly seccompMode: number;
  /** it goes on when its terminal is closed and when it is asked to end */
  readonly ignoresEnd: boolean;
  readonly userNamespace: string | undefined;
  /** the targets of its descriptors; undefined when they could not be read */
  readonly descriptors: readonly string[] | undefined;
  readonly mounts: readonly Mount[];
}

/** What the host's /proc says when everything was tried and the sandbox still lives. */
export interface KernelFacts {
  /** those that any process of the sandbox has from us; names as in /proc/PID/ns */
  readonly sharedNamespaces: readonly string[];
  /** the user namespace of the inside part */
  readonly userNamespace: string | undefined;
  /** all that run in the sandbox, whoever started them */
  readonly processes: readonly SeenProcess[];
  readonly mounts: readonly Mount[];
  readonly interfaces: readonly string[];
  /** names in its /dev that are devices */
  readonly devices: readonly string[];
  /** whether a process of the host that is not part of the sandbox is in its process group, or has its terminal */
  readonly sharesProcessGroup: boolean;
  readonly sharesTerminal: boolean;
  /** most processes and most memory that it may have, if it may have less than the user */
  readonly processLimit: number | undefined;
  readonly memoryLimit: number | undefined;
  /** bytes of its /tmp; undefined when that is the host's */
  readonly temporaryBytes: number | undefined;
  /** paths in its root at which it was to make something, and did */
  readonly rootChanges: readonly string[];
  /** what the mounts of the sandbox show of the paths of the host that the probes are about */
  readonly exposed: ReadonlyMap<string, Exposure>;
  /** what of the hidden texts is in the environment or the arguments of a process of the sandbox */
  readonly variables: ReadonlySet<SecretName>;
}

/** What the end of the sandbox looked like. */
export interface EndFacts {
  /** how many of its processes were there a second after it was ended in the usual way */
  readonly left: number;
}

/** Files that scripts of the folder and of the home make in the folder when the next start runs them. */
export const nextStartMarks = ['preloaded', 'home-preloaded'];

/** How the next start of the same sandbox compares with this one. */
export interface NextStart {
  /** it is the same, or was refused */
  readonly isNotWeaker: boolean;
  /** the marks that the folder's own files have made on the host, or in our part of the sandbox */
  readonly marks: readonly string[];
  /** it was ended when it had written more temporary files than it may */
  readonly endsWhenFull: boolean;
}

/** Everything that the host has seen of one run. */
export interface Seen {
  readonly plan: Plan;
  readonly target: string;
  readonly network: NetworkMode;
  readonly reports: ReadonlyMap<string, ProbeReport>;
  readonly secrets: Readonly<Partial<Record<SecretName, string>>>;
  /** by the id of the probe: connections or datagrams that arrived */
  readonly arrivals: ReadonlyMap<string, number>;
  /** whether the gateway let through what it should */
  readonly controlArrived: boolean;
  /** paths of requests to the canary model, with whether they had its key */
  readonly modelRequests: readonly string[];
  readonly victims: ReadonlyMap<string, VictimState>;
  readonly kernel: KernelFacts | undefined;
  /** all that came out on the terminal, as a window gets it */
  readonly stream: string;
  /** whether that is all, and not only the end of it */
  readonly isStreamWhole: boolean;
  /** by the id of the probe: those whose files the host found in the folder, or found that they can't be written */
  readonly marked: ReadonlySet<string>;
  /** what the host's canary process said: signals that it got */
  readonly signals: readonly string[];
  /** whether a debugger has attached itself to that process */
  readonly hostIsTraced: boolean;
  /** whether something was put into the message queue of the host */
  readonly messagesArrived: boolean;
  readonly networkEntries: readonly NetworkEntry[];
  readonly launcherHasSetId: boolean;
  readonly end: EndFacts | undefined;
  readonly next: NextStart | undefined;
  /** UTF-16 units that a window was sent that did not keep up with a flood of `floodBytes` */
  readonly floodedUnits: number | undefined;
  /** bytes that the kernel says the host read from it meanwhile */
  readonly floodRead: number | undefined;
  /** the folder that the supervisor made, if there is one */
  readonly runDirectory: string | undefined;
}

/** What a sandbox with little room writes into /tmp, and how much it may. */
export const fillBytes = 24 * 1024 * 1024;
export const littleRoom = 8 * 1024 * 1024;

/** What the flood writes: more than any window should have to take. */
export const floodBytes = 4 * 1024 * 1024;
