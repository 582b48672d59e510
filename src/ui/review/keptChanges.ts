import type { Memento } from 'vscode';
import type { BytePath } from '../../snapshot/bytePath';
import type { Change } from '../../snapshot/diff';
import { type KeptStates, stateOf } from '../../snapshot/keptStates';

/** Of so many reviews it is remembered what is to be kept. */
const rememberedReviews = 20;
const memoryKey = 'review.kept';

/** By snapshot, by path: the state that is to be kept. */
type Kept = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Which changes somebody wants to keep, until they are changed again. */
export class KeptChanges {
  /** @param memory of the workspace */
  constructor(private readonly memory: Memento) {}

  /** @param snapshot id of what is compared with */
  of(snapshot: string): KeptStates {
    return new Map(Object.entries(this.all[snapshot] ?? {}) as [BytePath, string][]);
  }

  /** These changes since a snapshot are as they should be. */
  async add(snapshot: string, changes: readonly Change[]): Promise<void> {
    const { all } = this;
    const states = Object.fromEntries(changes.map((change) => [change.path, stateOf(change)]));
    const others = Object.entries(all).filter(([other]) => other !== snapshot);
    const kept = { ...all[snapshot], ...states };
    const last = [...others.slice(1 - rememberedReviews), [snapshot, kept]];
    await this.memory.update(memoryKey, Object.fromEntries(last));
  }

  private get all(): Kept {
    return this.memory.get<Kept>(memoryKey, {});
  }
}
