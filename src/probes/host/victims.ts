import { lstatSync, type BigIntStats } from 'node:fs';
import type { VictimState } from '../seen';

type Snapshot = BigIntStats | undefined;

/** Files and folders of the host that are looked at before and after. */
export class Victims {
  private readonly before = new Map<string, { readonly path: string; readonly state: Snapshot }>();

  /** Notes what is there now. @param name by which the probes know it @param path where it is on the host */
  note(name: string, path: string): void {
    this.before.set(name, { path, state: look(path) });
  }

  /** What became of them. */
  compare(): Map<string, VictimState> {
    return new Map([...this.before].map(([name, { path, state }]) => [name, change(state, look(path))]));
  }
}

/** Nothing is followed. Whatever can't be looked at is not there. */
function look(path: string): Snapshot {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

function change(before: Snapshot, after: Snapshot): VictimState {
  if (!before || !after) return before ? 'gone' : after ? 'appeared' : 'same';
  const kept = (['dev', 'ino', 'size', 'mode', 'mtimeNs', 'ctimeNs'] as const).every(
    (key) => before[key] === after[key],
  );
  return kept ? 'same' : 'changed';
}
