/** Does one piece of work after another, in the order in which they came; one that fails keeps none from being done. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  /** @returns what the work returns. @throws what it throws */
  add<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }
}
