import type { NetworkEntry } from './gateway';
import { kindOfEntry } from './networkLog';

/** An agent can make thousands of attempts a second: they are told together. */
const tellMilliseconds = 100;
/** More than that at once is nobody's to read. */
const mostTold = 500;

/**
 * Collects attempts, the latest of each, and tells them together a little later. Of very many the older ones are left
 * out, but none that could carry data out: there are only as many of those as servers have answered meanwhile.
 */
export class Batch {
  private untold = new Map<number, NetworkEntry>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tell: (items: readonly NetworkEntry[]) => void) {}

  add(item: NetworkEntry): void {
    this.untold.set(item.id, item);
    if (this.untold.size > mostTold) this.leaveOut(item);
    this.timer ??= setTimeout(() => this.flush(), tellMilliseconds);
  }

  /** Tells at once what is left to be told. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const items = [...this.untold.values()];
    this.untold = new Map();
    if (items.length > 0) this.tell(items);
  }

  /** @param added an older one of its host is left out if possible, so that other hosts stay known */
  private leaveOut(added: NetworkEntry): void {
    let oldest: number | undefined;
    for (const [id, item] of this.untold) {
      if (item === added || kindOfEntry(item) === 'allowed') continue;
      oldest ??= id;
      if (item.host === added.host) {
        oldest = id;
        break;
      }
    }
    if (oldest !== undefined) this.untold.delete(oldest);
  }
}
