import { isSameOrInside } from '../sandbox/paths';
import type { BoundPath } from './boundPaths';
import type { Mark } from './mark';

/** A verdict is far younger. */
const keptMilliseconds = 60_000;

/** Tells changes that only the user can have made, where no sandbox can write, from those that a sandbox can have made. */
export class BoundChanges {
  /** by their path, when something else was seen in the place of what was there before */
  private readonly replaced = new Map<string, number>();
  /** seen where no sandbox could write when that was verified last */
  private readonly waiting = new Map<string, { readonly now: Mark | undefined; readonly time: number }>();

  /** @param boundBy by which bind no sandbox can write there, both below the workspace; undefined: one can */
  constructor(private readonly boundBy: (path: string) => BoundPath | undefined) {}

  /** Something else is in the place of what was there: it has no bind, whatever was verified up to now. */
  noteReplaced(path: string): void {
    this.replaced.set(path, Date.now());
  }

  /** Whether no sandbox can write there. */
  isBound(path: string): boolean {
    const bound = this.boundBy(path);
    const isReplaced = ([place, time]: readonly [string, number]): boolean =>
      bound !== undefined && time >= bound.time && isSameOrInside(`/${place}`, `/${bound.path}`);
    return bound !== undefined && ![...this.replaced].some(isReplaced);
  }

  /** What is there now, where no sandbox could write a moment ago. */
  wait(path: string, now: Mark | undefined): void {
    this.waiting.set(path, { now, time: Date.now() });
  }

  /**
   * Hands on what was waited for: as the user's, when the bind was verified after the change, because a bind that is
   * lost never comes back; as anybody's, when there is no bind any more.
   */
  settle(take: (path: string, now: Mark | undefined, isUsers: boolean) => void): void {
    const old = Date.now() - keptMilliseconds;
    for (const [path, time] of this.replaced) if (time < old) this.replaced.delete(path);
    for (const [path, { now, time }] of this.waiting) {
      const bound = this.boundBy(path);
      if (bound === undefined || bound.time > time) {
        this.waiting.delete(path);
        take(path, now, bound !== undefined);
      }
    }
  }

  forget(): void {
    this.replaced.clear();
  }
}
