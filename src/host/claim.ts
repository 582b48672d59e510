import { link, lstat, rename, rm, unlink, utimes } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { readJson } from './ownFiles';
import { identifyProcess, processIdentity, readBootId } from './processIdentity';
import { isRunning } from './procfs';
import { createFile } from './safeFiles';

/** How often it is looked whether the other one has let go. */
const pollMilliseconds = 50;

/** Writing a line takes less, on a busy network file system too. */
const writeMilliseconds = 10_000;

/** Nobody holds a claim for longer; of a process of another computer nothing else can be known. */
const foreignMilliseconds = 10 * 60_000;

const renewMilliseconds = 60_000;

/** Says which process holds a claim. */
const claim = processIdentity.extend({ bootId: z.string() });
type Claim = z.infer<typeof claim>;
const maximumClaimBytes = 1000;

/** How long to wait for somebody else, and what to throw then. */
export interface ClaimPatience {
  readonly milliseconds: number;
  readonly tooLate: () => Error;
}

/**
 * Does some work while nobody else does it, in whatever process: who holds the file at `path` may. A claim whose
 * process has ended counts no more.
 * @param path in a folder that is ours alone
 * @throws what `tooLate` makes, and what `work` throws
 */
export async function withClaim<Result>(
  path: string,
  patience: ClaimPatience,
  work: () => Promise<Result>,
): Promise<Result> {
  const own = { ...ownIdentity(), bootId: await readBootId() };
  const deadline = Date.now() + patience.milliseconds;
  while (!(await takeClaim(path, own))) {
    if (Date.now() > deadline) throw patience.tooLate();
    await delay(pollMilliseconds);
  }
  // work may take longer than a claim of another computer is believed
  const renewal = setInterval(() => void renew(path), renewMilliseconds);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await release(path, own);
  }
}

async function renew(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

/** One that somebody has taken over meanwhile is theirs. */
async function release(path: string, own: Claim): Promise<void> {
  const present = await readClaim(path).catch(() => undefined);
  if (present && isSameClaim(present, own)) await rm(path, { force: true });
}

function isSameClaim(one: Claim, other: Claim): boolean {
  return one.pid === other.pid && one.startTime === other.startTime && one.bootId === other.bootId;
}

/** @returns false when somebody else who lives has it */
async function takeClaim(path: string, own: Claim): Promise<boolean> {
  if (await createFile(path, JSON.stringify(own))) return true;
  const other = await readClaim(path);
  if (!(await isHeld(path, other, own))) await removeStale(path, other);
  return false;
}

async function isHeld(path: string, other: Claim | undefined, own: Claim): Promise<boolean> {
  // a claim is made, then written: one that can't be read yet is not stale
  if (!other) return isYounger(path, writeMilliseconds);
  // a home can be shared between hosts
  if (other.bootId !== own.bootId) return isYounger(path, foreignMilliseconds);
  return isRunning(other.pid, other.startTime);
}

async function isYounger(path: string, milliseconds: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs < milliseconds;
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

function readClaim(path: string): Promise<Claim | undefined> {
  return readJson(path, claim, maximumClaimBytes);
}

function ownIdentity(): z.infer<typeof processIdentity> {
  return identifyProcess(process.pid) ?? { pid: process.pid, startTime: '0' };
}
