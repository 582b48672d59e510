import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { withClaim } from '../claim';
import { openPrivateFolder } from '../safeFiles';
import type { FromThread, SnapshotResults, SnapshotWork } from './orders';
import { lockName } from './store';
import type { Progress } from './take';
import { SnapshotError } from './snapshotError';

/** The bundle beside the one that this is in. */
const defaultScript = join(__dirname, 'snapshots.js');

/** Half a million entries need half of it. */
const heapMegabytes = 1024;

/** A cold snapshot of another sandbox of the same folder takes seconds. */
const patienceMilliseconds = 10 * 60_000;

export interface ThreadOptions {
  readonly onProgress?: Progress;
  /** ends the work at once; what it has written so far counts for nothing */
  readonly signal?: AbortSignal;
  /** path of the bundled thread, when it does not lie beside this */
  readonly script?: string;
}

/** Work, and a promise that resolves when its thread has ended and let go of the store: after the result. */
export interface Running<Type extends SnapshotWork['type']> {
  readonly result: Promise<SnapshotResults[Type]>;
  readonly over: Promise<void>;
}

/**
 * Works on snapshots in a thread of its own, while nobody else works on those of the same workspace.
 * `result` is rejected with a SnapshotError, or with the signal's reason.
 */
export function startSnapshotWork<Type extends SnapshotWork['type']>(
  work: SnapshotWork & { readonly type: Type },
  options: ThreadOptions = {},
): Running<Type> {
  const store = storeFor(work);
  const result = new Deferred<SnapshotResults[Type]>();
  const tooLate = (): Error => new SnapshotError('failed', 'somebody else works on the snapshots');
  const claimed = openPrivateFolder(store).then(async (folder) => {
    await folder.close();
    options.signal?.throwIfAborted();
    await withClaim(join(store, lockName), { milliseconds: patienceMilliseconds, tooLate }, () =>
      runThread(work, options, result as Deferred<unknown>),
    );
  });
  // the result may be there already: then this changes nothing
  claimed.catch((error: unknown) => result.reject(error));
  return { result: result.promise, over: claimed.catch(() => undefined) };
}

function storeFor(work: SnapshotWork): string {
  return work.type === 'take' ? work.order.store : work.store;
}

/** Resolves when the thread has ended. */
function runThread(
  work: SnapshotWork,
  { onProgress, signal, script = defaultScript }: ThreadOptions,
  result: Deferred<unknown>,
): Promise<void> {
  if (signal?.aborted) {
    result.reject(signal.reason);
    return Promise.resolve();
  }
  const worker = new Worker(script, {
    workerData: work,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  const abort = (): void => {
    result.reject(signal?.reason);
    void worker.terminate();
  };
  signal?.addEventListener('abort', abort, { once: true });
  worker.on('message', (message: FromThread) => {
    if (message.type === 'progress') onProgress?.(message.files, message.bytes);
    else if (message.type === 'result') result.resolve(message.result);
    else result.reject(new SnapshotError(message.failure, message.reason));
  });
  worker.on('error', (error) => result.reject(new SnapshotError('failed', String(error))));
  return new Promise((resolve) => {
    worker.on('exit', () => {
      signal?.removeEventListener('abort', abort);
      result.reject(new SnapshotError('failed', 'the thread ended without a result'));
      resolve();
    });
  });
}

/** A promise that is settled from elsewhere, once. */
class Deferred<Result> {
  resolve: (result: Result) => void = () => undefined;
  reject: (error: unknown) => void = () => undefined;
  readonly promise = new Promise<Result>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}
