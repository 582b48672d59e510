import * as v from 'valibot';
import { parseAs } from '../sandbox/parseAs';
import { integer, record } from '../sandbox/schemas';
import { writeWhole } from '../host/ownFiles';
import { readSmallFile } from '../host/safeFiles';

/** Contents by their sha256. */
export type Contents = ReadonlyMap<string, Buffer>;

const index = record(
  v.string(),
  v.strictTuple([v.pipe(integer, v.minValue(0)), v.pipe(integer, v.minValue(0))]),
);
const maximumPackBytes = 64 * 1024 * 1024;

/**
 * Writes many contents into one file of ours, at once: thousands of small files would take many times as long. The
 * first line says where each is in what follows.
 */
export async function writePack(path: string, contents: Contents): Promise<void> {
  let offset = 0;
  const places = [...contents].map(([name, { length }]) => {
    offset += length;
    return [name, [offset - length, length]];
  });
  const head = Buffer.from(`${JSON.stringify(Object.fromEntries(places))}\n`);
  await writeWhole(path, Buffer.concat([head, ...contents.values()]));
}

/** Reads what {@link writePack} wrote; empty when there is none, or none that is understood. */
export async function readPack(path: string): Promise<Contents> {
  const pack = await readSmallFile(path, maximumPackBytes, { ours: true }).catch(() => Buffer.alloc(0));
  const end = pack.indexOf('\n');
  try {
    const places = parseAs(index, JSON.parse(pack.subarray(0, Math.max(end, 0)).toString()));
    return new Map(
      Object.entries(places).map(([name, [offset, length]]) => [
        name,
        pack.subarray(end + 1 + offset, end + 1 + offset + length),
      ]),
    );
  } catch {
    return new Map();
  }
}
