import { message, type Message } from './message';
import type { NetworkMode, SandboxKind } from './specification';
import type { FactName, LineStatus, Verdict } from './verdict';

/** What a fact of the verdict means for somebody who does not know the kernel's words. */
export function factTitle(fact: FactName): Message {
  return factTitles[fact];
}

const factTitles: Readonly<Record<FactName, Message>> = {
  mountNamespace: message('File systems of its own'),
  processNamespace: message('Processes of the host are hidden'),
  ipcNamespace: message('Shared memory of the host is hidden'),
  userNamespace: message('User namespace of its own'),
  hostnameNamespace: message('Host name of its own'),
  network: message('Network'),
  capabilities: message('No privileges (capabilities)'),
  noNewPrivileges: message('No way to gain privileges'),
  seccomp: message('System calls are filtered'),
  hostPaths: message('Visible folders of the host'),
  protectedPaths: message('Files that act on the host are read-only'),
  kernelInterfaces: message('Kernel interfaces are out of reach'),
  rootFileSystem: message('Root file system is the image'),
  image: message('Image is the one that was chosen'),
  launcher: message('Apptainer itself is out of reach'),
  descriptors: message('No open files of the host'),
  environment: message('No variables of the host'),
};

/**
 * How the line about a fact was established. Every one of them was read by the supervisor, outside: no program in the
 * sandbox was asked.
 */
export function howKnown(fact: FactName): Message {
  return readOnce.has(fact) ? howKnownOnce : howKnownAlways;
}

/** What a process was started with can only be seen before it does something: `supervisor/gateFacts.ts` */
const readOnce: ReadonlySet<FactName> = new Set<FactName>(['environment']);
const howKnownAlways = message('verified from the host, every two seconds');
const howKnownOnce = message('verified from the host, once, before anything of the agent’s ran');

/** What Apptainer was asked for and nobody can verify: the kernel does not tell what a filter denies. */
export const requestedOnly: readonly { readonly title: Message; readonly detail: Message }[] = [
  {
    title: message('What the filter denies'),
    detail: message(
      'keyrings, user namespaces, mounts, io_uring, bpf, setuid bits, typing into terminals, VM sockets and more',
    ),
  },
];

/** How a line of {@link requestedOnly} was established. */
export const howRequested = message('requested only');

/** One word for the state of a line. */
export function lineStatusWord(status: LineStatus): Message {
  return lineStatusWords[status];
}

const lineStatusWords: Readonly<Record<LineStatus, Message>> = {
  holds: message('holds'),
  degraded: message('degraded'),
  broken: message('broken'),
};

/** What a verdict says as a whole, without its age. */
export function verdictHeadline({ state, network }: Pick<Verdict, 'state' | 'network'>): Message {
  switch (state) {
    case 'broken':
      return message('broken');
    case 'degraded':
      return message('degraded');
    case 'isolated':
      return isolatedWords[network];
  }
}

const isolatedWords: Readonly<Record<NetworkMode, Message>> = {
  open: message('isolated, network open'),
  restricted: message('isolated'),
  none: message('isolated, no network'),
};

/** What a sandbox is called. */
export function kindTitle(kind: SandboxKind): Message {
  return kindTitles[kind];
}

const kindTitles: Readonly<Record<SandboxKind, Message>> = {
  agent: message('Sandboxed Agent'),
  shell: message('Sandboxed Shell'),
  task: message('Sandboxed Task'),
  run: message('Sandboxed Program'),
  probes: message('Proof of the Sandbox'),
};

/** The same in a word, for places that are narrow. */
export function kindName(kind: SandboxKind): Message {
  return kindNames[kind];
}

const kindNames: Readonly<Record<SandboxKind, Message>> = {
  agent: message('Agent'),
  shell: message('Shell'),
  task: message('Task'),
  run: message('Program'),
  probes: message('Proof'),
};
