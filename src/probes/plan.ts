/**
 * What the inside part is told: where things are, and nothing of what is in them. A secret that comes back was read.
 */
export interface Plan {
  /** 16 random hex digits, in every name and mark of this run */
  readonly token: string;
  readonly uid: number;
  /** the only folder that it may write */
  readonly workspace: string;
  /** the agent's home as the host calls it, if it is a folder */
  readonly agentHome: string | undefined;
  /** beside the workspace, with `secret.txt` */
  readonly sibling: string;
  /** a folder of ours in the user's home, with `secret.txt` and `victim.txt` */
  readonly home: string;
  /** a path in the host's /tmp, /var/tmp and /dev/shm at which nothing is */
  readonly absent: Readonly<Record<'tmp' | 'varTmp' | 'shm', string>>;
  /** home folders of other users of this computer, and sockets of it by which names are looked up */
  readonly otherHomes: readonly string[];
  readonly resolverSockets: readonly string[];
  /** a file with a secret in the user's runtime folder, and one in shared memory */
  readonly runtimeSecret: string | undefined;
  readonly sharedMemorySecret: string | undefined;
  /** X11's authority file */
  readonly xAuthority: string;
  readonly image: string;
  /** a process of the host, with secrets in its argv and its environment, and with `home` as its folder */
  readonly hostPid: number;
  readonly keySerial: number | undefined;
  readonly messageQueue: number | undefined;
  /** an address of this computer that is not loopback's, and a name of it that leads to itself */
  readonly hostAddress: string | undefined;
  readonly hostName: string | undefined;
  /** by the id of the probe: a port, or a socket's name or path */
  readonly doors: Readonly<Record<string, string>>;
  /** port on which the gateway must let through, so that its refusals mean something */
  readonly controlPort: string | undefined;
  /** id of the canary among the models of the gateway */
  readonly modelProvider: string | undefined;
  /** whether attempts at addresses off this computer can only end in the kernel */
  readonly mayTryRoutes: boolean;
}
