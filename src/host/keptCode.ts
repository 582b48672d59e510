import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import { identifyTarget } from './fileIdentity';
import { writeWhole } from './ownFiles';

/** A module that was run. */
export interface RunModule<Exports> {
  readonly exports: Exports;
  /**
   * Keeps what has been compiled of it by now; undefined when that was kept and used already.
   * @param path in a folder of ours alone
   */
  readonly keep: ((path: string) => Promise<void>) | undefined;
}

/** Compiled code is about as large as its source. */
const largestKept = 20_000_000;
const digestLength = 64;

/**
 * Runs a bundle as `require` does, without compiling it where that was kept: a third of a window's processor time for
 * starting an extension (measured). The extension host has no NODE_COMPILE_CACHE, and it is not ours to set for everybody.
 * What was kept counts only for the very file, unchanged, and V8 refuses what another version of it has made.
 * @param bundle path of a CommonJS module
 * @param kept path that was given to `keep`; what is not ours alone there is not used
 */
export function runModule<Exports>(bundle: string, kept: string): RunModule<Exports> {
  const identity = JSON.stringify(identifyTarget(bundle));
  const cachedData = readKept(kept, identity);
  const script = new Script(wrap(readFileSync(bundle, 'utf8')), { filename: bundle, cachedData });
  const module = { exports: {} as Exports };
  const run = script.runInThisContext() as (...values: unknown[]) => void;
  run.call(module.exports, module.exports, createRequire(bundle), module, bundle, dirname(bundle));
  const isUsed = cachedData !== undefined && script.cachedDataRejected === false;
  const keep = (path: string): Promise<void> => writeWhole(path, sealed(script.createCachedData(), identity));
  return { exports: module.exports, keep: isUsed ? undefined : keep };
}

function sealed(code: Buffer, identity: string): Buffer {
  const content = Buffer.concat([Buffer.from(`${identity}\n`), code]);
  return Buffer.concat([Buffer.from(digestOf(content)), content]);
}

/** V8 does not look whether all of it is as it was written. */
function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function readKept(path: string, identity: string): Buffer | undefined {
  const file = readOwn(path);
  const content = file?.subarray(digestLength);
  const head = Buffer.from(`${identity}\n`);
  if (!file || !content?.subarray(0, head.length).equals(head)) return undefined;
  return file.toString('latin1', 0, digestLength) === digestOf(content)
    ? content.subarray(head.length)
    : undefined;
}

/** A file that is ours, and that nobody else can write. */
function readOwn(path: string): Buffer | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      const isOurs = stats.isFile() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
      return isOurs && stats.size <= largestKept ? readFileSync(file) : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
