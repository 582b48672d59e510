import type { SnapshotFailure } from './orders';

/** Work that can't be done, and why. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';

  constructor(
    readonly failure: SnapshotFailure,
    reason: string,
  ) {
    super(reason);
  }
}
