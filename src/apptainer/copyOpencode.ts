import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, fchmodSync, fsync, openSync, writeSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { identify } from '../host/fileIdentity';
import { readFileSystem } from '../host/fileSystemKind';
import { withClaim } from '../host/claim';
import { hashFile, isSameContent } from '../host/hashFile';
import { ownerMark, sweepLeft } from '../host/ownedFolder';
import { makePrivateFolders } from '../host/privateFolders';
import type { Environment } from '../sandbox/hostEnvironment';
import { copyMode, isCopyDestination } from '../sandbox/opencodeCopy';
import { type BareRunRequest, runBare } from './bareRun';
import { failedLately, type LastingFailure, lastingFailures, noteFailure } from './copyFailures';
import type { ImageRecord } from './imageRecords';
import type { OpencodeCopies } from './opencodeCopies';
import { smokeTest } from './smokeTest';

export interface CopyRequest {
  readonly copies: OpencodeCopies;
  /** the `apptainer` program, resolved */
  readonly apptainer: string;
  readonly image: ImageRecord;
  /** the user's environment */
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** What came of it; all but the first two mean that sandboxes go on as before. */
export type CopyOutcome =
  | 'there'
  | 'made'
  /** another window makes it */
  | 'busy'
  | 'noRoom'
  | LastingFailure
  | 'imageChanged'
  /** another window has tried it with the same image, a short while ago */
  | 'failedBefore';

/** opencode 1.18 has 150 MB; a fourfold one is something else. */
const maximumBytes = 600 * 2 ** 20;
/** A script that starts something else is as fast in the image. */
const minimumBytes = 2 ** 20;
/** What must be left to others. */
const spareBytes = 2 ** 30;
const readMilliseconds = 5 * 60_000;

/**
 * Reads the copy for an image and sees that it is what was copied, or makes one where there is none. For a moment in
 * which nothing else waits: it takes seconds.
 * @throws as {@link copyOpencode}
 */
export async function keepCopy(request: CopyRequest): Promise<CopyOutcome> {
  const { copies, image, signal } = request;
  if ((await copies.find(image)) && (await copies.verify(image, signal))) return 'there';
  if (await failedLately(copies.folder, image.sha256)) return 'failedBefore';
  await makePrivateFolders(dirname(copies.folder), basename(copies.folder));
  const busy = new Error('another window copies');
  const patience = { milliseconds: 0, tooLate: () => busy };
  try {
    return await withClaim(`${copies.pathOf(image.sha256)}.claim`, patience, async () => {
      const outcome = await copyOpencode(request);
      const lasting = lastingFailures.find((failure) => failure === outcome);
      if (lasting) await noteFailure(copies.folder, image.sha256, lasting);
      return outcome;
    });
  } catch (error) {
    if (error === busy) return 'busy';
    throw error;
  }
}

/**
 * Copies the opencode of an image to a disk of this computer: reading it through the image's decompression costs a
 * second at each start. The image itself is asked for it, in a container without network and without anything of this
 * computer; what it gives is nothing that it could not run anyway, and is only ever run where it was.
 * @throws UnsafeFileError for a folder that is not ours, system errors, Cancelled; no part of a copy is left then
 */
async function copyOpencode(request: CopyRequest): Promise<CopyOutcome> {
  const { copies, image, signal } = request;
  if (await copies.find(image)) return 'there';
  await sweepLeft(copies.folder);
  const { freeBytes } = await readFileSystem(copies.folder);
  if (freeBytes < maximumBytes + spareBytes) return 'noRoom';
  const destination = await findProgram(request);
  if (destination === undefined) return 'noProgram';
  const partial = `${copies.pathOf(image.sha256)}.${await ownerMark()}.${randomBytes(8).toString('hex')}.partial`;
  try {
    const sha256 = await writeCopy(request, destination, partial);
    if (sha256 === undefined) return 'noProgram';
    // what was written is read again, from the disk as far as the kernel goes
    if ((await hashFile(partial, signal)).sha256 !== sha256)
      throw new Error(`${partial} was not written as it should`);
    if (!isSameContent(image.identity, await identify(image.path))) return 'imageChanged';
    const tried = await smokeTest({ ...trial(request), copy: { source: partial, destination } });
    if (tried.kind !== 'works') return 'doesNotRun';
    await copies.remove(image.sha256);
    await rename(partial, copies.pathOf(image.sha256));
    await copies.record({ imageSha256: image.sha256, destination, sha256 });
    return 'made';
  } finally {
    await rm(partial, { force: true });
  }
}

function trial({
  apptainer,
  image,
  environment,
  signal,
}: CopyRequest): Pick<BareRunRequest, 'apptainer' | 'image' | 'environment' | 'signal'> {
  return { apptainer, image: image.path, environment, signal };
}

/** Where the image has its opencode, links followed. */
async function findProgram(request: CopyRequest): Promise<string | undefined> {
  const { exitCode, stdout } = await runBare({
    ...trial(request),
    command: ['/bin/sh', '-c', 'readlink -f -- "$(command -v opencode)"'],
    timeoutMilliseconds: readMilliseconds,
  });
  const path = stdout.trimEnd();
  return exitCode === 0 && isCopyDestination(path) ? path : undefined;
}

/** @returns the digest of what was written; undefined when it is too much or too little */
async function writeCopy(
  request: CopyRequest,
  destination: string,
  partial: string,
): Promise<string | undefined> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const writer = new CopyWriter(file);
    const stop = AbortSignal.any([request.signal, writer.signal]);
    const { exitCode } = await runBare({
      ...{ ...trial(request), signal: stop },
      command: ['cat', destination],
      timeoutMilliseconds: readMilliseconds,
      onStdout: (chunk) => writer.write(chunk),
    }).catch((error: unknown) => {
      throw writer.failure ?? error;
    });
    if (exitCode !== 0 || writer.length < minimumBytes || writer.length > maximumBytes) return undefined;
    fchmodSync(file, copyMode);
    // a slow disk takes seconds, and this may be an editor's process
    await promisify(fsync)(file);
    return writer.digest();
  } finally {
    closeSync(file);
  }
}

/** Writes pieces as they come; stops whoever sends them when that fails, or when there are too many. */
class CopyWriter {
  private readonly hash = createHash('sha256');
  private readonly stopping = new AbortController();
  length = 0;
  failure: unknown;

  constructor(private readonly file: number) {}

  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  write(chunk: Buffer): void {
    if (this.signal.aborted) return;
    try {
      this.length += chunk.length;
      if (this.length > maximumBytes) throw new Error('the program in the image is too large to be copied');
      for (let written = 0; written < chunk.length;) {
        written += writeSync(this.file, chunk, written);
      }
      this.hash.update(chunk);
    } catch (error) {
      this.failure = error;
      this.stopping.abort();
    }
  }

  digest(): string {
    return this.hash.digest('hex');
  }
}
