import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readInto } from '../host/pinned';
import { isSameOrInside } from '../sandbox/paths';
import type { ProtectedPattern } from '../sandbox/protectedPaths';
import { isClosed } from '../host/closedFolder';
import type { Mark } from './mark';
import { relevantPart } from './relevantPart';
import { isInsideGit, isLookedInto, isOddName, ruleByLink, ruleByPath } from './rules';
import type { RuleId } from './ruleTexts';

/** What is looked at of a workspace. */
export interface GuardedFolder {
  /** real path */
  readonly workspace: string;
  /** of the user and the workspace */
  readonly patterns: readonly ProtectedPattern[];
  /** path of the agent's home below the workspace, if it is there: only a repository at its top is notable */
  readonly home?: string | undefined;
  /** the rule of what git's configuration names, by the path below the workspace */
  readonly namedByGit?: (path: string) => RuleId | undefined;
  /** whether a folder holds more than is looked at */
  readonly isCrowded?: (path: string) => boolean;
}

export interface Examined {
  readonly mark: Mark;
  /** the whole of a small file that a rule names */
  readonly content?: Buffer;
}

/** A guarded file is a few kilobytes; a larger one is known by its inode and times alone. */
const maximumContentBytes = 1_000_000;
const executeBits = 0o111n;

/**
 * Whether something in the folder is notable, and by what it can be known again. Content is read of small regular files
 * only, and nothing is followed.
 * @param path below the workspace
 * @param place where it can be reached now: through its open folder
 * @param known the mark that it had: what is the same need not be read again
 */
export async function examine(
  path: string,
  place: string,
  stats: BigIntStats,
  folder: GuardedFolder,
  known?: Mark,
): Promise<Examined | undefined> {
  const identity = identityText(stats);
  const rule = ruleFor(path, folder);
  // git's configuration may name now what was something else
  const isAsBefore = (rule !== 'gitProgram' && rule !== 'git') || known?.rule === rule;
  if (known?.identity === identity && isAsBefore) return { mark: known };
  if (isInHome(path, folder) && rule !== 'repository') return undefined;
  if (stats.isDirectory()) {
    if (isClosed(stats) && isLookedInto(path)) {
      return { mark: { rule: 'closed', kind: 'folder', identity, content: 'closed' } };
    }
    if (rule === 'repository' || rule === 'oddName') {
      return { mark: { rule, kind: 'folder', identity, content: '' } };
    }
    // whatever its name would mean for a file
    return folder.isCrowded?.(path) === true
      ? { mark: { rule: 'crowded', kind: 'folder', identity, content: 'crowded' } }
      : undefined;
  }
  if (stats.isSymbolicLink()) return examineLink(path, place, identity, rule, folder);
  if (!stats.isFile()) {
    const type = String(stats.mode & 0o170000n);
    return { mark: { rule: 'special', kind: 'special', identity, content: type } };
  }
  return examineFile(path, place, stats, rule);
}

/** Whether there is nothing to examine: an ordinary file or folder that no rule names. */
export function isOrdinary(path: string, stats: BigIntStats, folder: GuardedFolder): boolean {
  const isPlain =
    (stats.isDirectory() && !isClosed(stats) && folder.isCrowded?.(path) !== true) ||
    (stats.isFile() && stats.nlink === 1n && (stats.mode & executeBits) === 0n);
  return isPlain && ruleFor(path, folder) === undefined;
}

/** Whether what is in a folder is looked at. */
export function isEntered(path: string, { home }: GuardedFolder): boolean {
  return isLookedInto(path) && (home === undefined || !path.startsWith(`${home}/`));
}

/** By what an entry is known again: it changes with everything that happens to it. */
export function identityText({ dev, ino, size, mode, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mode, ctimeNs].join(' ');
}

function ruleFor(path: string, { patterns, namedByGit }: GuardedFolder): RuleId | undefined {
  const byPath = namedByGit?.(path) ?? ruleByPath(path);
  if (byPath !== undefined) return byPath;
  if (isInsideGit(path)) return undefined;
  if (patterns.some((pattern) => isListed(path, pattern))) return 'listed';
  return isOddName(basename(path)) ? 'oddName' : undefined;
}

/** Whether a pattern names a path, or a folder that it is in. */
function isListed(path: string, { names }: ProtectedPattern): boolean {
  const parts = path.split('/');
  return parts.length >= names.length && names.every((name, index) => name.test(parts[index] ?? ''));
}

function isInHome(path: string, { home }: GuardedFolder): boolean {
  return home !== undefined && path !== home && isSameOrInside(`/${home}`, `/${path}`);
}

async function examineLink(
  path: string,
  place: string,
  identity: string,
  rule: RuleId | undefined,
  { workspace }: GuardedFolder,
): Promise<Examined | undefined> {
  const target = await readlink(place).catch(() => '');
  const folder = join(workspace, dirname(path));
  const named = resolve(folder, target);
  const real = await realpath(named).catch(() => named);
  const leaves = [named, real].some((end) => !isSameOrInside(workspace, end));
  const found = rule ?? ruleByLink(path) ?? (leaves ? 'outsideLink' : undefined);
  return found && { mark: { rule: found, kind: 'link', identity, content: digest(target) } };
}

function examineFile(
  path: string,
  place: string,
  stats: BigIntStats,
  rule: RuleId | undefined,
): Examined | undefined {
  const identity = identityText(stats);
  const isExecutable = (stats.mode & executeBits) !== 0n;
  const plain = (found: RuleId): Examined => ({
    mark: { rule: found, kind: 'file', identity, content: isExecutable ? 'x' : '' },
  });
  const other = isInsideGit(path)
    ? undefined
    : stats.nlink > 1n
      ? plain('hardLink')
      : isExecutable
        ? plain('executable')
        : undefined;
  if (rule === undefined) return other;
  if (rule === 'oddName' || rule === 'bareRepository') return plain(rule);
  const content = contentOf(place);
  if (content === undefined) return { mark: { rule, kind: 'file', identity } };
  const relevant = rule === 'gitProgram' ? content : relevantPart(path, content);
  if (relevant === undefined) return other;
  const mark: Mark = {
    ...{ rule, kind: 'file', identity },
    content: `${isExecutable ? 'x' : ''}${digest(relevant)}`,
  };
  // keys stand in it, of which no copy is made
  return rule === 'environment' ? { mark } : { mark, content };
}

/** one for all: it is read at once, and copied */
const contentBuffer = Buffer.allocUnsafe(maximumContentBytes);

/** Synchronous, a tenth of the time that it takes otherwise (measured). */
function contentOf(place: string): Buffer | undefined {
  try {
    const content = readInto(contentBuffer, place)?.content;
    return content && Buffer.from(content);
  } catch {
    // it is gone, or may not be read
    return undefined;
  }
}

/** sha256 in hexadecimal. */
export function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
