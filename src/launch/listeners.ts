import type { Unsubscribe } from './connection';

/** A list of listeners that can be left. */
export class Listeners<Arguments extends readonly unknown[]> {
  private readonly listeners = new Set<(...values: Arguments) => void>();

  add(listener: (...values: Arguments) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  fire(...values: Arguments): void {
    this.listeners.forEach((listener) => listener(...values));
  }
}
