import type { Mount } from './mountinfo';
import type { FileIdentity } from './specification';

/** Names as in /proc/PID/ns (namespaces(7)). */
export const namespaceNames = ['mnt', 'pid', 'ipc', 'user', 'uts', 'net'] as const;
export type NamespaceName = (typeof namespaceNames)[number];

/** Compared with the namespaces of the supervisor, which runs in the host's. */
export type NamespaceState = 'own' | 'shared' | 'unreadable';

/** What /proc/PID/status says of one process in the container (proc_pid_status(5)). */
export interface ProcessFacts {
  readonly pid: number;
  /**
   * union of effective, permitted, inheritable, bounding and ambient set; in whatever user namespace, because the
   * filter lets no program make one
   */
  readonly capabilities: bigint;
  readonly noNewPrivileges: boolean;
  /** 0 none, 1 strict, 2 filter */
  readonly seccompMode: number;
}

/** A descriptor of a process in the container that was opened outside. */
export interface ForeignDescriptor {
  readonly pid: number;
  readonly descriptor: number;
  /** what /proc/PID/fd/N points to; the sandbox may have chosen it once its gate is open */
  readonly target: string;
}

/** What the host's /proc says of one live container; plain data, read by `supervisor/containerFacts.ts`. */
export interface ContainerFacts {
  /** milliseconds since the epoch */
  readonly time: number;
  readonly namespaces: Readonly<Record<NamespaceName, NamespaceState>>;
  /** mounts in the container, as its init sees them */
  readonly mounts: readonly Mount[];
  /** mounts of the host, as the supervisor sees them */
  readonly hostMounts: readonly Mount[];
  /** mounts in the namespace of the Apptainer process that holds the image open */
  readonly starterMounts: readonly Mount[];
  /** files that squashfuse serves: the open image and where it is mounted in the starter's namespace */
  readonly imageServers: readonly ImageServer[];
  /** identity of each host path that the container's mounts show; absent where it could not be read */
  readonly identities: ReadonlyMap<string, FileIdentity>;
  readonly processes: readonly ProcessFacts[];
  /** there are so many that not all of them were looked at */
  readonly isCrowded: boolean;
  /** the program of the container's init, which is Apptainer's own; undefined when it could not be identified */
  readonly launcher: LauncherFacts | undefined;
  /** services of the host that an open network reaches and that let the agent in */
  readonly hostServices: readonly string[];
  readonly foreignDescriptors: readonly ForeignDescriptor[];
  /** pipes and sockets that the process at the gate had; undefined when they could not be read */
  readonly inheritedStreams: readonly ForeignDescriptor[] | undefined;
  /** pids whose descriptors could not be listed */
  readonly unreadableDescriptors: readonly number[];
  /** the supervisor's end of the terminal, for example `/dev/pts/3`, as the starter holds it */
  readonly terminal: string | undefined;
  /** network interfaces in the container's network namespace; undefined when they could not be read */
  readonly interfaces: readonly string[] | undefined;
  /** names of the variables of the process at the gate, before anything of the agent's ran; undefined: unreadable */
  readonly environmentNames: readonly string[] | undefined;
  /** names of the variables that the image's own scripts set */
  readonly imageVariables: readonly string[];
}

/** Apptainer's own program, which the container can reach as /proc/1/exe. */
export interface LauncherFacts {
  /** it belongs to the user of the sandbox */
  readonly isOurs: boolean;
  /** group or others may write it, or it is setuid or setgid */
  readonly isOpenToOthers: boolean;
  /** the same file, not touched since the container waited at its gate */
  readonly isUnchanged: boolean;
}

export interface ImageServer {
  readonly pid: number;
  readonly mountPoint: string;
  readonly image: FileIdentity | undefined;
}
