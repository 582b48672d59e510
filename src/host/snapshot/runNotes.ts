import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, openPrivateFolder } from '../safeFiles';
import { namesIn, writePrivate } from './packs';
import { listSnapshots, noteName } from './store';

/*
 * Beside the snapshots of a workspace: when each sandbox that can write there had begun and ended, `<id>.begun` and
 * `<id>.ended`, in milliseconds since the epoch; one of which no snapshot was taken, too.
 */
type Note = 'begun' | 'ended';

/** When sandboxes can have changed a workspace. */
export interface RunTimes {
  /** before that none can have; 0 when none has run, or when it is not known */
  readonly first: number;
  /** from then on none can have; Infinity when one runs, or when it is not known */
  readonly last: number;
}

/** Notes that a sandbox may write in the workspace from now on; the store is made. @throws what the kernel says */
export async function noteBegin(store: string, id: string, time: number): Promise<void> {
  await (await openPrivateFolder(store)).close();
  writeNote(store, id, 'begun', time);
}

/** Notes that a sandbox is over: what changes from then on is not its work. */
export function noteEnd(store: string, id: string, time: number): void {
  writeNote(store, id, 'ended', time);
  // with undo switched off nobody else does
  cleanNotes(store);
}

/**
 * When sandboxes can have changed the workspace. Of one that ended without a word it is known only now that it is over,
 * which is noted.
 * @param living ids of the sandboxes that ran at the moment `asked`: one that began later may run, too
 * @param own id of who asks
 * @param asked milliseconds since the epoch
 */
export function runTimes(store: string, living: ReadonlySet<string>, own: string, asked: number): RunTimes {
  const runs = [...runIds(store)].filter((id) => id !== own);
  const ends = runs.map((id) => endOf(store, id, living, asked));
  return {
    first: runs.length === 0 ? 0 : Math.min(...runs.map((id) => readNote(store, id, 'begun') ?? 0)),
    last: Math.max(0, ...ends),
  };
}

function endOf(store: string, id: string, living: ReadonlySet<string>, asked: number): number {
  if (living.has(id)) return Infinity;
  const end = readNote(store, id, 'ended');
  if (end !== undefined) return end;
  if ((readNote(store, id, 'begun') ?? 0) < asked) writeNote(store, id, 'ended', Date.now());
  return Infinity;
}

/**
 * Removes what was noted of sandboxes that are over and whose snapshot is gone, but of the one of them that began first,
 * and of the one that ended last.
 */
export function cleanNotes(store: string): void {
  const known = new Set(listSnapshots(store).map(({ id }) => id));
  const over = [...noted(store, 'ended')].filter((id) => !known.has(id)).sort();
  const first = leastOf(over, (id) => readNote(store, id, 'begun') ?? 0);
  const last = leastOf(over, (id) => -(readNote(store, id, 'ended') ?? 0));
  for (const id of over) {
    if (id === first || id === last) continue;
    // first that it had begun: a begin without an end says that it may run
    for (const note of ['begun', 'ended'] as const) rmSync(pathOf(store, id, note), { force: true });
  }
}

function leastOf(ids: readonly string[], valueOf: (id: string) => number): string | undefined {
  const values = ids.map((id) => ({ id, value: valueOf(id) }));
  return values.sort((one, other) => one.value - other.value)[0]?.id;
}

/** Of all sandboxes of which something is known. */
function runIds(store: string): Set<string> {
  const starts = listSnapshots(store).filter(({ reason }) => reason === 'start');
  return new Set([...starts.map(({ id }) => id), ...noted(store, 'begun'), ...noted(store, 'ended')]);
}

function noted(store: string, note: Note): Set<string> {
  const found = namesIn(store).map((name) => noteName.exec(name));
  return new Set(found.flatMap((match) => (match?.[1] !== undefined && match[2] === note ? [match[1]] : [])));
}

function writeNote(store: string, id: string, note: Note, time: number): void {
  writePrivate(pathOf(store, id, note), Buffer.from(String(time)));
}

function readNote(store: string, id: string, note: Note): number | undefined {
  try {
    const text = readFileSync(pathOf(store, id, note), 'utf8');
    const time = Number(text);
    return text !== '' && Number.isFinite(time) ? time : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function pathOf(store: string, id: string, note: Note): string {
  return join(store, `${id}.${note}`);
}
