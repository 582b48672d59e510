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

  /** @param run undefined: there is nothing to go on with */
  async set(run: ReviewedRun | undefined): Promise<void> {
    const last = this.get();
    if (run?.workspace === last?.workspace && run?.id === last?.id) return;
    await this.memory.update(memoryKey, run && { workspace: run.workspace, id: run.id });
  }
}
