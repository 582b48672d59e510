/** An agent can make thousands of attempts a second: they are told together. */
const tellMilliseconds = 100;
/** More than that at once is nobody's to read. */
const mostTold = 500;

/** Collects what has an id, the latest of each, and tells it together a little later; of very many the last ones. */
export class Batch<Item extends { readonly id: number }> {
  private untold = new Map<number, Item>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tell: (items: readonly Item[]) => void) {}

  add(item: Item): void {
    this.untold.set(item.id, item);
    if (this.untold.size > mostTold) {
      const [oldest] = this.untold.keys();
      if (oldest !== undefined) this.untold.delete(oldest);
    }
    this.timer ??= setTimeout(() => this.flush(), tellMilliseconds);
  }

  /** Nothing more is told. */
  dispose(): void {
    clearTimeout(this.timer);
  }

  private flush(): void {
    this.timer = undefined;
    const items = [...this.untold.values()];
    this.untold = new Map();
    this.tell(items);
  }
}
