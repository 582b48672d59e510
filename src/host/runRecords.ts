import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { parseAs } from '../sandbox/parseAs';
import { finite, integer } from '../sandbox/schemas';
import { fileIdentity, networkMode, sandboxKind } from '../sandbox/specification';
import { crashNoteName, timePrefix } from './crashNotes';
import { readJson, writeWhole } from './ownFiles';
import { processIdentity } from './processIdentity';
import { codeOf } from './safeFiles';

/**
 * What is kept of each run of a sandbox, in a file of its own in extension storage: what was started, what was
 * verified, and how it ended. No value of a variable, no prompt, and of what came out of the sandbox only the names of
 * the hosts that were denied.
 */
export const runRecord = v.object({
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
  kind: sandboxKind,
  workspace: v.string(),
  image: v.object({ path: v.string(), identity: fileIdentity, sha256: v.optional(v.string()) }),
  network: networkMode,
  extensionVersion: v.string(),
  hostName: v.string(),
  supervisor: processIdentity,
  /** the command line of Apptainer */
  argv: v.array(v.string()),
  /** of Apptainer; those that begin with APPTAINERENV_ are set inside */
  environmentNames: v.array(v.string()),
  /** milliseconds since the epoch, like all times here */
  startedAt: finite,
  /** each change of the verdict, with the facts that did not hold */
  verdicts: v.array(
    v.object({
      time: finite,
      state: v.picklist(['isolated', 'degraded', 'broken']),
      facts: v.array(v.object({ fact: v.string(), status: v.picklist(['degraded', 'broken']) })),
    }),
  ),
  /** missing while it runs, and for ever when the supervisor was killed */
  end: v.optional(v.object({ time: finite, reason: v.string(), exitCode: v.optional(integer) })),
  /** hosts that the agent tried to reach and was not let; known at the end; hostile */
  deniedHosts: v.optional(v.array(v.string())),
  /** how many further ones are left off; from 10,000 on it means that or more */
  deniedHostsLeftOff: v.optional(integer),
});
export type RunRecord = v.InferOutput<typeof runRecord>;

/** So many runs are kept. */
export const keptRuns = 500;

/** begins with the time, so that names sort like runs */
const recordName = /^\d{13}-[0-9a-f]{16}\.json$/;
const temporaryName = /^\d{13}-[0-9a-f]{16}\.json\.[0-9a-f]{16}$/;
/** a command line of paths of at most 4096 bytes each, escaped, and some more */
const maximumRecordBytes = 1 << 20;

/** Writes the record of a run, at once and whole, mode 0600, over the earlier one of the same run. */
export async function writeRunRecord(directory: string, record: RunRecord): Promise<void> {
  const name = `${timePrefix(record.startedAt)}-${parseAs(runRecord.entries.id, record.id)}.json`;
  const target = join(directory, name);
  await writeWhole(target, JSON.stringify(parseAs(runRecord, record)));
}

/** Removes all but the last {@link keptRuns} records, and what killed and crashed writers left more than a day ago. */
export async function pruneRunRecords(directory: string): Promise<void> {
  const old = (await recordNames(directory, recordName)).slice(0, -keptRuns);
  const yesterday = Date.now() - 24 * 60 * 60 * 1000;
  // names begin with the time
  const left = [
    ...(await recordNames(directory, temporaryName)),
    ...(await recordNames(directory, crashNoteName)),
  ].filter((name) => Number(name.slice(0, 13)) < yesterday);
  await Promise.all([...old, ...left].map((name) => rm(join(directory, name), { force: true })));
}

/**
 * The records of all runs, the latest first. What is no record, or not ours, or too large, is left out.
 * @param writtenSince leaves out those that were written for the last time before, in milliseconds since the epoch
 */
export async function readRunRecords(directory: string, writtenSince = 0): Promise<RunRecord[]> {
  const names = await recordNames(directory, recordName);
  const records = await Promise.all(
    names.reverse().map(async (name) => {
      const path = join(directory, name);
      const isOld = writtenSince > 0 && (await lstat(path)).mtimeMs < writtenSince;
      return isOld ? undefined : readJson(path, runRecord, maximumRecordBytes);
    }),
  );
  return records.filter((record) => record !== undefined);
}

/** The oldest first; a missing folder has none. */
async function recordNames(directory: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => pattern.test(name)).sort();
}
