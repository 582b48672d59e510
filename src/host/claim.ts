import { rm, utimes } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { ageOf, isBeingWritten, removeLeftLock } from './leftLock';
import { readJson } from './ownFiles';
import { identifyProcess, processIdentity, readBootId } from './processIdentity';
import { isRunning } from './procfs';
import { createFile } from './safeFiles';

/** How often it is looked whether the other one has let go. */
const pollMilliseconds = 50;

/** Nobody holds a claim for longer; of a process of another computer nothing else can be known. */
const foreignMilliseconds = 10 * 60_000;

const renewMilliseconds = 60_000;

/** Says which process holds a claim. */
const claim = v.object({ ...processIdentity.entries, bootId: v.string() });
type Claim = v.InferOutput<typeof claim>;
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
  const deadline = performance.now() + patience.milliseconds;
  while (!(await takeClaim(path, own))) {
    if (performance.now() > deadline) throw patience.tooLate();
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
  if (!(await isHeld(path, other, own))) await removeLeftLock(path, other, () => readClaim(path));
  return false;
}

async function isHeld(path: string, other: Claim | undefined, own: Claim): Promise<boolean> {
  // a claim is made, then written: one that can't be read yet is not stale
  if (!other) return isBeingWritten(path);
  // a home can be shared between hosts
  if (other.bootId !== own.bootId) return Math.abs((await ageOf(path)) ?? Infinity) < foreignMilliseconds;
  return isRunning(other.pid, other.startTime);
}

function readClaim(path: string): Promise<Claim | undefined> {
  return readJson(path, claim, maximumClaimBytes);
}

function ownIdentity(): v.InferOutput<typeof processIdentity> {
  return identifyProcess(process.pid) ?? { pid: process.pid, startTime: '0' };
}
