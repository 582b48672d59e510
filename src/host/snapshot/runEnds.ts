import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../safeFiles';
import { namesIn, writePrivate } from './packs';
import { listSnapshots } from './store';

/** Beside its snapshot: when a sandbox had ended, in milliseconds since the epoch. */
const endName = /^([0-9a-f]{16})\.ended$/;

/** Notes that a sandbox is over: what changes from then on is not its work. */
export function noteEnd(store: string, id: string, time: number): void {
  writePrivate(join(store, `${id}.ended`), Buffer.from(String(time)));
}

/**
 * Since when no sandbox can have changed the workspace, one without a snapshot neither. Of one that ended without a word
 * it is known only now that it is over, which is noted. Only who holds the claim of the store may ask.
 * @param living ids of the sandboxes that run
 * @returns milliseconds since the epoch; Infinity when one runs, or when it is not known
 */
export function lastEnd(store: string, living: ReadonlySet<string>, now: number): number {
  const starts = listSnapshots(store).filter(({ reason }) => reason === 'start');
  const ids = new Set([...starts.map(({ id }) => id), ...notedEnds(store)]);
  const ends = [...ids].map((id) => {
    const end = living.has(id) ? Infinity : readEnd(store, id);
    if (end === undefined) noteEnd(store, id, now);
    return end ?? Infinity;
  });
  return Math.max(0, ...ends);
}

/** Removes what was noted of sandboxes whose snapshot is gone, but of the one of them that ended last. */
export function cleanEnds(store: string): void {
  const known = new Set(listSnapshots(store).map(({ id }) => id));
  const others = notedEnds(store).filter((id) => !known.has(id));
  const ends = others.map((id) => ({ id, end: readEnd(store, id) ?? 0 }));
  const earlier = ends.sort((one, other) => one.end - other.end).slice(0, -1);
  for (const { id } of earlier) rmSync(join(store, `${id}.ended`), { force: true });
}

/** ids */
function notedEnds(store: string): string[] {
  return namesIn(store).flatMap((name) => endName.exec(name)?.[1] ?? []);
}

function readEnd(store: string, id: string): number | undefined {
  try {
    const time = Number(readFileSync(join(store, `${id}.ended`), 'utf8'));
    return Number.isFinite(time) ? time : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
