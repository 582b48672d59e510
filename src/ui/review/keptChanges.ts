import type { Memento } from 'vscode';
import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';
import type { BytePath } from '../../snapshot/bytePath';
import type { Change } from '../../snapshot/diff';
import { type KeptStates, stateOf } from '../../snapshot/keptStates';

/** Of so many reviews it is remembered what is to be kept. */
const rememberedReviews = 20;

/** Characters of JSON, some 20,000 changes: VS Code reads all of it whenever a window is opened. */
const mostRemembered = 4 * 2 ** 20;
const memoryKey = 'review.kept';

/** By snapshot, by path: the state that is to be kept. */
type Kept = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Which changes somebody wants to keep, until they are changed again. */
export class KeptChanges {
  /** @param memory of the workspace @param most characters in it; default: 4 Mi */
  constructor(
    private readonly memory: Memento,
    private readonly most = mostRemembered,
  ) {}

  /** @param snapshot id of what is compared with */
  of(snapshot: string): KeptStates {
    return new Map(Object.entries(this.all[snapshot] ?? {}) as [BytePath, string][]);
  }

  /**
   * These changes since a snapshot are as they should be. For their sake what was kept in earlier reviews can be forgotten.
   * @throws UserError when they are too many
   */
  async add(snapshot: string, changes: readonly Change[]): Promise<void> {
    const { all } = this;
    const states = Object.fromEntries(changes.map((change) => [change.path, stateOf(change)]));
    const others = Object.entries(all).filter(([other]) => other !== snapshot);
    const kept = { ...all[snapshot], ...states };
    const room = this.most - sizeOf(kept);
    if (room < 0) throw tooMany();
    const last = [...newest(others.slice(1 - rememberedReviews), room), [snapshot, kept]];
    await this.memory.update(memoryKey, Object.fromEntries(last));
  }

  private get all(): Kept {
    return this.memory.get<Kept>(memoryKey, {});
  }
}

/** As many of them as there is room for, the last ones. */
function newest<Review extends readonly [string, unknown]>(
  reviews: readonly Review[],
  room: number,
): Review[] {
  let left = room;
  const dropped = reviews.findLastIndex(([, kept]) => {
    left -= sizeOf(kept);
    return left < 0;
  });
  return reviews.slice(dropped + 1);
}

function sizeOf(kept: unknown): number {
  return JSON.stringify(kept).length;
}

function tooMany(): UserError {
  return new UserError(
    'review.tooManyKept',
    message(
      'So many changes can’t be remembered as kept, so none of these was. Review the changes since the next start of a sandbox instead: what is there by then is not listed.',
    ),
  );
}
