/** The thread that works on snapshots: it reads thousands of files, and holds up nobody meanwhile. */
import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread, SnapshotWork } from './orders';
import { cleanUp, compare, failureOf, revert, take } from './work';

function tell(message: FromThread): void {
  parentPort?.postMessage(message);
}

function main(work: SnapshotWork): void {
  switch (work.type) {
    case 'take': {
      const result = take(work, (files, bytes) => tell({ type: 'progress', files, bytes }));
      tell({ type: 'result', result });
      // nobody waits for that
      cleanUp(work);
      return;
    }
    case 'compare':
      return tell({ type: 'result', result: compare(work) });
    case 'revert':
      return tell({ type: 'result', result: revert(work) });
  }
}

try {
  main(workerData as SnapshotWork);
} catch (error) {
  // after a result this says nothing any more: nothing is lost when a store can't be cleaned up
  tell({ type: 'failed', failure: failureOf(error), reason: String(error) });
}
