import type { Memento } from 'vscode';
import type { ReviewPoint } from './reviewPoint';

/** What tells a review from others; where the snapshots are is asked anew, because a setting says that. */
export type ReviewedRun = Pick<ReviewPoint, 'workspace' | 'id'>;

const memoryKey = 'review.last';

/** Which review the window had open last: a reload, or a lost connection, does not end it. */
export class LastReview {
  /** @param memory of the workspace */
  constructor(private readonly memory: Memento) {}

  get(): ReviewedRun | undefined {
    return this.memory.get<ReviewedRun>(memoryKey);
  }

  async set({ workspace, id }: ReviewedRun): Promise<void> {
    await this.memory.update(memoryKey, { workspace, id });
  }
}
