import { createHash } from 'node:crypto';
import { link, lstat, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { identifyProcess, processIdentity, readBootId } from '../host/processIdentity';
import { isRunning } from '../host/procfs';
import { createFile, readSmallFile, UnsafeFileError } from '../host/safeFiles';
import { isAlive, readIndexEntries } from '../host/sandboxIndex';
import { message } from '../sandbox/message';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';

/** How often a window looks whether another one has started the sandbox. */
const pollMilliseconds = 50;
/** A start that takes longer than the supervisor may (`startSupervisor.ts`) has gone wrong. */
const patienceMilliseconds = 40_000;

/** Writing a line takes less, on a busy network file system too. */
const writeMilliseconds = 10_000;

/** Says which process starts a sandbox. */
const claim = processIdentity.extend({ bootId: z.string() });
type Claim = z.infer<typeof claim>;
const maximumClaimBytes = 1000;

/**
 * Starts a sandbox, unless another window of this user has started one of the same kind for the same folder at the
 * same time: then it is that one. Tasks are never shared.
 *
 * @param start starts a supervisor, and returns its socket
 * @returns the socket of the sandbox that runs now
 * @throws UserError `start.busy` when another window does not get on with it, and what `start` throws
 */
export async function startOnce(
  specification: SandboxSpecification,
  start: () => Promise<string>,
): Promise<string> {
  const { kind, workspace, indexDirectory } = specification;
  if (kind === 'task') return start();
  const bootId = await readBootId();
  // boot: a home can be shared between hosts
  const name = createHash('sha256')
    .update(`${bootId}\0${kind}\0${workspace.path}`)
    .digest('hex')
    .slice(0, 16);
  const path = join(indexDirectory, `${name}.claim`);
  const deadline = Date.now() + patienceMilliseconds;
  while (!(await takeClaim(path, { ...ownIdentity(), bootId }))) {
    if (Date.now() > deadline) throw busy(workspace.path);
    await delay(pollMilliseconds);
  }
  try {
    return (await findRunning(specification)) ?? (await start());
  } finally {
    await rm(path, { force: true });
  }
}

async function findRunning({
  kind,
  workspace,
  indexDirectory,
}: SandboxSpecification): Promise<string | undefined> {
  for (const entry of await readIndexEntries(indexDirectory)) {
    const isSame = entry.kind === kind && entry.workspace === workspace.path && entry.isStarting !== true;
    if (isSame && (await isAlive(entry))) return entry.socket;
  }
  return undefined;
}

/** @returns false when somebody else who lives has it */
async function takeClaim(path: string, own: Claim): Promise<boolean> {
  if (await createFile(path, JSON.stringify(own))) return true;
  const other = await readClaim(path);
  const isHeld = other ? isRunning(other.pid, other.startTime) : await isYoung(path);
  if (!isHeld) await removeStale(path, other);
  return false;
}

/** A claim is made, then written: one that can't be read yet is not stale. */
async function isYoung(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs < writeMilliseconds;
}

/**
 * Removes the claim of a process that has ended, or an unreadable one. Two may do so at the same time: whoever takes
 * away a new claim instead puts it back.
 */
async function removeStale(path: string, stale: Claim | undefined): Promise<void> {
  const aside = `${path}.${process.pid}`;
  try {
    await rename(path, aside);
    const taken = await readClaim(aside);
    if (taken && JSON.stringify(taken) !== JSON.stringify(stale)) await link(aside, path);
    await unlink(aside);
  } catch {
    // somebody else was quicker; the next look decides
  }
}

async function readClaim(path: string): Promise<Claim | undefined> {
  try {
    const content = await readSmallFile(path, maximumClaimBytes, { ours: true });
    return claim.safeParse(JSON.parse(content.toString('utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnsafeFileError) return undefined;
    throw error;
  }
}

function ownIdentity(): z.infer<typeof processIdentity> {
  return identifyProcess(process.pid) ?? { pid: process.pid, startTime: '0' };
}

function busy(workspace: string): UserError {
  return new UserError(
    'start.busy',
    message('Another window has been starting a sandbox for {0} for a long time. Try again.', workspace),
  );
}
