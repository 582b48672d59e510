import * as v from 'valibot';
import { finite, record } from './schemas';
import { networkAccess } from './networkAccess';

/**
 * What a supervisor needs to know to run one sandbox. Built by `launch/prepare.ts`, handed to the supervisor over
 * its standard input as one JSON document, never by argv, environment or file. All paths are absolute and resolved.
 */
export type SandboxSpecification = v.InferOutput<typeof sandboxSpecification>;

/**
 * `agent`: the opencode TUI. `shell`: the image's shell. `task`: `opencode run`, with the prompt on its stdin. `run`: a
 * program of the image, with a file of the workspace, and never with a network.
 * `probes`: an agent's sandbox in every respect, in which our own attempts to get out run in the agent's place.
 */
export type SandboxKind = v.InferOutput<typeof sandboxKind>;

/**
 * `restricted`: an own network namespace with nothing but an empty loopback, and a gateway outside that lets through
 * to allowed hosts and to the models. `open`: the host's network. `none`: as `restricted`, but for the models alone.
 */
export type NetworkMode = v.InferOutput<typeof networkMode>;

/** A file or folder as the kernel knows it. Numbers are decimal strings, because inodes exceed 2^53. */
export type FileIdentity = v.InferOutput<typeof fileIdentity>;

export const absolutePath = v.pipe(
  v.string(),
  v.regex(/^\//),
  v.check((path) => !path.includes('\0')),
);

export const fileIdentity = v.object({
  device: v.string(),
  inode: v.string(),
  /** bytes; only compared for files */
  size: v.string(),
  /** nanoseconds since the epoch; only compared for files. A user can set mtime, but not ctime. */
  changedTime: v.string(),
});

/** A path that will be bound, with the identity it had when it was checked. */
export const identifiedPath = v.object({ path: absolutePath, identity: fileIdentity });
export type IdentifiedPath = v.InferOutput<typeof identifiedPath>;

/** A file or folder of the workspace that is bound read-only over itself. */
export const protectedPath = v.object({
  ...identifiedPath.entries,
  /** what to call it where no name from the workspace may appear */
  rule: v.string(),
});
export type ProtectedPath = v.InferOutput<typeof protectedPath>;

/** A copy of the image's opencode on a disk of this computer, which is bound read-only over it: it starts faster. */
const opencodeCopy = v.object({
  ...identifiedPath.entries,
  /** where the image has it */
  destination: absolutePath,
});

/** What is noted of the workspace before the agent can write there, so that it can be undone. */
const undoSpecification = v.object({
  /** the folder for the snapshots of all workspaces */
  directory: absolutePath,
  /** of all contents of one snapshot; 0: none is taken, it is only noted that the sandbox runs */
  maximumBytes: v.pipe(finite, v.minValue(0)),
  respectsIgnoreFiles: v.boolean(),
  /** paths below the workspace that are not looked into */
  closed: v.array(v.string()),
});
export type UndoSpecification = v.InferOutput<typeof undoSpecification>;

/** 16 hex digits, random */
export const sandboxId = v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/));
export const sandboxKind = v.picklist(['agent', 'shell', 'task', 'run', 'probes']);
export const networkMode = v.picklist(['restricted', 'open', 'none']);

/** An id as opencode makes them: it can be nothing else on a command line. */
const resumedSession = v.object({
  sessionId: v.pipe(v.string(), v.regex(/^ses_[A-Za-z0-9]{10,40}$/)),
  isFork: v.boolean(),
});
export type ResumedSession = v.InferOutput<typeof resumedSession>;

export const sandboxSpecification = v.object({
  id: sandboxId,
  kind: sandboxKind,
  /** the `apptainer` program, realpath */
  apptainer: absolutePath,
  /** a SIF file */
  image: identifiedPath,
  /** without it the image's own is run */
  opencodeCopy: v.optional(opencodeCopy),
  /** realpath of the workspace folder; bound read-write at the same path */
  workspace: identifiedPath,
  /** what in the workspace the agent can only read; without it nothing */
  protectedPaths: v.optional(v.array(protectedPath)),
  /** what becomes /home/agent: a folder that is kept, or the container's memory */
  home: v.variant('kind', [
    v.object({ kind: v.literal('folder'), folder: identifiedPath }),
    v.object({ kind: v.literal('memory') }),
  ]),
  /** homes of other agents in the workspace: what this one could move there, they could change */
  otherHomes: v.optional(v.array(identifiedPath)),
  network: networkMode,
  /** what the gateway lets through */
  access: networkAccess,
  /** becomes /etc/opencode/opencode.json, which beats every other configuration of opencode */
  opencodeConfiguration: record(v.string(), v.unknown()),
  /** whether opencode gets an empty catalogue of models in place of its own: it starts faster */
  withoutCatalogue: v.optional(v.boolean()),
  /** variables set inside, beside what Apptainer and the image set; the agent can read them */
  insideEnvironment: record(v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)), v.string()),
  /** whether programs inside may write the user's clipboard (OSC 52); default no */
  mayWriteClipboard: v.optional(v.boolean()),
  /** kind `agent` only: the session to go on with, or with a copy of it; without it opencode begins a new one */
  resume: v.optional(resumedSession),
  /** kind `run` only: a program of the image and its arguments; without it, the image's shell */
  program: v.optional(v.pipe(v.array(v.string()), v.minLength(1))),
  /** kind `task` only */
  prompt: v.optional(v.string()),
  /** kind `probes` only: what they are told, as `probes/plan.ts` has it; no secret is in it */
  probePlan: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]*={0,2}$/))),
  /** a task or probes are ended after this long; an agent or a shell never */
  deadlineMilliseconds: v.optional(v.pipe(finite, v.gtValue(0))),
  /** folders to load node-pty from, tried in order */
  ptyModules: v.pipe(v.array(absolutePath), v.minLength(1)),
  /** where run directories may be made, tried in order: $XDG_RUNTIME_DIR, then /tmp */
  runDirectoryParents: v.pipe(v.array(absolutePath), v.minLength(1)),
  /** the sandbox's /tmp and /var/tmp */
  temporaryFiles: v.object({
    /** where the folder for them may be made, tried in order */
    parents: v.pipe(v.array(absolutePath), v.minLength(1)),
    /** a sandbox whose temporary files take more is ended */
    limitBytes: v.pipe(finite, v.gtValue(0)),
  }),
  /** folder in extension storage in which the sandbox enters itself while it lives (see host/sandboxIndex.ts) */
  indexDirectory: absolutePath,
  /** folder in extension storage for what is kept of the home (see host/homeFolder.ts); none for one in memory */
  homeFolder: v.optional(absolutePath),
  /** folder in extension storage for the record of each run (see host/runRecords.ts); without it none is kept */
  recordDirectory: v.optional(absolutePath),
  /** without it nothing can be undone, nor is it noted that the sandbox runs */
  undo: v.optional(undoSpecification),
  /** how long a sandbox lives with nobody attached; 0 = stop at once */
  detachedTimeoutMilliseconds: v.pipe(finite, v.minValue(0)),
});

/**
 * Whether a sandbox of this kind is one for opencode, which needs a model, room for its sessions and our companion; so
 * is one in which something of ours runs in its place.
 */
export function runsOpencode(kind: SandboxKind): kind is 'agent' | 'task' | 'probes' {
  return kind === 'agent' || kind === 'task' || kind === 'probes';
}
