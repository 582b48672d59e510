import * as z from 'zod';
import { networkAccess } from './networkAccess';

/**
 * What a supervisor needs to know to run one sandbox. Built by `launch/prepare.ts`, handed to the supervisor over
 * its standard input as one JSON document, never by argv, environment or file. All paths are absolute and resolved.
 */
export type SandboxSpecification = z.infer<typeof sandboxSpecification>;

/**
 * `agent`: the opencode TUI. `shell`: the image's shell. `task`: `opencode run`, with the prompt on its stdin. `run`: a
 * program of the image, with a file of the workspace, and never with a network.
 * `probes`: an agent's sandbox in every respect, in which our own attempts to get out run in the agent's place.
 */
export type SandboxKind = z.infer<typeof sandboxKind>;

/**
 * `restricted`: an own network namespace with nothing but an empty loopback, and a gateway outside that lets through
 * to allowed hosts and to the models. `open`: the host's network. `none`: as `restricted`, but for the models alone.
 */
export type NetworkMode = z.infer<typeof networkMode>;

/** A file or folder as the kernel knows it. Numbers are decimal strings, because inodes exceed 2^53. */
export type FileIdentity = z.infer<typeof fileIdentity>;

export const absolutePath = z
  .string()
  .regex(/^\//, 'an absolute path')
  .refine((path) => !path.includes('\0'));

export const fileIdentity = z.object({
  device: z.string(),
  inode: z.string(),
  /** bytes; only compared for files */
  size: z.string(),
  /** nanoseconds since the epoch; only compared for files. A user can set mtime, but not ctime. */
  changedTime: z.string(),
});

/** A path that will be bound, with the identity it had when it was checked. */
export const identifiedPath = z.object({ path: absolutePath, identity: fileIdentity });
export type IdentifiedPath = z.infer<typeof identifiedPath>;

/** A file or folder of the workspace that is bound read-only over itself. */
export const protectedPath = identifiedPath.extend({
  /** what to call it where no name from the workspace may appear */
  rule: z.string(),
});
export type ProtectedPath = z.infer<typeof protectedPath>;

/** A copy of the image's opencode on a disk of this computer, which is bound read-only over it: it starts faster. */
const opencodeCopy = identifiedPath.extend({
  /** where the image has it */
  destination: absolutePath,
});

/** What is noted of the workspace before the agent can write there, so that it can be undone. */
const undoSpecification = z.object({
  /** the folder for the snapshots of all workspaces */
  directory: absolutePath,
  /** of all contents of one snapshot; 0: none is taken, it is only noted that the sandbox runs */
  maximumBytes: z.number().nonnegative(),
  respectsIgnoreFiles: z.boolean(),
  /** paths below the workspace that are not looked into */
  closed: z.array(z.string()),
});
export type UndoSpecification = z.infer<typeof undoSpecification>;

/** 16 hex digits, random */
export const sandboxId = z.string().regex(/^[0-9a-f]{16}$/);
export const sandboxKind = z.enum(['agent', 'shell', 'task', 'run', 'probes']);
export const networkMode = z.enum(['restricted', 'open', 'none']);

/** An id as opencode makes them: it can be nothing else on a command line. */
const resumedSession = z.object({
  sessionId: z.string().regex(/^ses_[A-Za-z0-9]{10,40}$/),
  isFork: z.boolean(),
});
export type ResumedSession = z.infer<typeof resumedSession>;

export const sandboxSpecification = z.object({
  id: sandboxId,
  kind: sandboxKind,
  /** the `apptainer` program, realpath */
  apptainer: absolutePath,
  /** a SIF file */
  image: identifiedPath,
  /** without it the image's own is run */
  opencodeCopy: opencodeCopy.optional(),
  /** realpath of the workspace folder; bound read-write at the same path */
  workspace: identifiedPath,
  /** what in the workspace the agent can only read; without it nothing */
  protectedPaths: z.array(protectedPath).optional(),
  /** what becomes /home/agent: a folder that is kept, or the container's memory */
  home: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('folder'), folder: identifiedPath }),
    z.object({ kind: z.literal('memory') }),
  ]),
  /** homes of other agents in the workspace: what this one could move there, they could change */
  otherHomes: z.array(identifiedPath).optional(),
  network: networkMode,
  /** what the gateway lets through */
  access: networkAccess,
  /** becomes /etc/opencode/opencode.json, which beats every other configuration of opencode */
  opencodeConfiguration: z.record(z.string(), z.unknown()),
  /** whether opencode gets an empty catalogue of models in place of its own: it starts faster */
  withoutCatalogue: z.boolean().optional(),
  /** variables set inside, beside what Apptainer and the image set; the agent can read them */
  insideEnvironment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()),
  /** whether programs inside may write the user's clipboard (OSC 52); default no */
  mayWriteClipboard: z.boolean().optional(),
  /** kind `agent` only: the session to go on with, or with a copy of it; without it opencode begins a new one */
  resume: resumedSession.optional(),
  /** kind `run` only: a program of the image and its arguments; without it, the image's shell */
  program: z.array(z.string()).min(1).optional(),
  /** kind `task` only */
  prompt: z.string().optional(),
  /** kind `probes` only: what they are told, as `probes/plan.ts` has it; no secret is in it */
  probePlan: z
    .string()
    .regex(/^[A-Za-z0-9+/]*={0,2}$/)
    .optional(),
  /** a task or probes are ended after this long; an agent or a shell never */
  deadlineMilliseconds: z.number().positive().optional(),
  /** folders to load node-pty from, tried in order */
  ptyModules: z.array(absolutePath).min(1),
  /** where run directories may be made, tried in order: $XDG_RUNTIME_DIR, then /tmp */
  runDirectoryParents: z.array(absolutePath).min(1),
  /** the sandbox's /tmp and /var/tmp */
  temporaryFiles: z.object({
    /** where the folder for them may be made, tried in order */
    parents: z.array(absolutePath).min(1),
    /** a sandbox whose temporary files take more is ended */
    limitBytes: z.number().positive(),
  }),
  /** folder in extension storage in which the sandbox enters itself while it lives (see host/sandboxIndex.ts) */
  indexDirectory: absolutePath,
  /** folder in extension storage for what is kept of the home (see host/homeFolder.ts); none for one in memory */
  homeFolder: absolutePath.optional(),
  /** folder in extension storage for the record of each run (see host/runRecords.ts); without it none is kept */
  recordDirectory: absolutePath.optional(),
  /** without it nothing can be undone, nor is it noted that the sandbox runs */
  undo: undoSpecification.optional(),
  /** how long a sandbox lives with nobody attached; 0 = stop at once */
  detachedTimeoutMilliseconds: z.number().nonnegative(),
});

/**
 * Whether a sandbox of this kind is one for opencode, which needs a model, room for its sessions and our companion; so
 * is one in which something of ours runs in its place.
 */
export function runsOpencode(kind: SandboxKind): kind is 'agent' | 'task' | 'probes' {
  return kind === 'agent' || kind === 'task' || kind === 'probes';
}
