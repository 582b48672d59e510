import { basename } from 'node:path';
import * as v from 'valibot';
import { finite } from './schemas';
import { isSameOrInside } from './paths';
import { type FileIdentity, fileIdentity } from './specification';

/** What is known of a copy of an image's opencode: a file beside it, in a folder that is ours alone. */
export const opencodeCopyRecord = v.object({
  /** of the image that it came from */
  imageSha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** where the image has it, links followed */
  destination: v.pipe(v.string(), v.maxLength(500)),
  /** of the copy */
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  identity: fileIdentity,
  /** nanoseconds since the epoch */
  modifiedTime: v.string(),
  /** milliseconds since the epoch */
  madeAt: finite,
});
export type OpencodeCopyRecord = v.InferOutput<typeof opencodeCopyRecord>;

/** What a copy looks like now, as lstat(2) says it. */
export interface CopyFacts {
  readonly identity: FileIdentity;
  readonly modifiedTime: string;
  readonly isFile: boolean;
  readonly owner: number;
  /** permissions, with those for setuid and the like */
  readonly mode: number;
  readonly links: number;
}

/** Nobody writes it, and nobody else reads it. */
export const copyMode = 0o500;

/**
 * Whether a copy is what was recorded, by its looks. Its owner could give it back its times, but not that of its last
 * change (ctime), so that the same identity means the same content.
 * @param uid ours
 */
export function isAsRecorded(facts: CopyFacts, record: OpencodeCopyRecord, uid: number): boolean {
  const { inode, size, changedTime } = facts.identity;
  return (
    facts.isFile &&
    facts.owner === uid &&
    facts.mode === copyMode &&
    facts.links === 1 &&
    facts.modifiedTime === record.modifiedTime &&
    inode === record.identity.inode &&
    size === record.identity.size &&
    changedTime === record.identity.changedTime
  );
}

/** Of the filesystem hierarchy what images keep programs in, and no sandbox of ours binds anything else over. */
const programPath = /^\/(usr|opt)(\/[\w@+-][\w@+.-]*)+$/;

/**
 * Whether an image's opencode can be replaced by its copy where it is: an image says that, so it can be anything. Not
 * where the user has something.
 */
export function isCopyDestination(destination: string, workspace?: string): boolean {
  return (
    programPath.test(destination) && (workspace === undefined || !isSameOrInside(workspace, destination))
  );
}

/**
 * Whether a copy is mounted somewhere, by its name, which no other file has: the path of what is mounted begins where
 * its file system does (proc_pid_mountinfo(5)), and so differs from ours where `/home` or `/var` is one of its own.
 * @param mountinfo as the kernel has it for some process
 */
export function isMountedIn(mountinfo: string, path: string): boolean {
  return mountinfo.includes(`/${basename(path)} `);
}
