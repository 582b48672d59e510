import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { parseAs, tryParseJson } from '../sandbox/parseAs';
import { finite } from '../sandbox/schemas';
import { makePrivateFolders } from '../host/privateFolders';
import { createFile, readSmallFile } from '../host/safeFiles';
import { sessionId } from '../opencode/sessions/lines';

/** How long a deleted session can be restored. */
export const keptDays = 30;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** A session that was deleted and can be restored. */
const deletedSession = v.object({
  id: sessionId,
  /** as the reader cleaned it */
  title: v.pipe(v.string(), v.maxLength(300)),
  /** milliseconds since the epoch */
  deletedAt: finite,
});
export type DeletedSession = v.InferOutput<typeof deletedSession>;

const stored = v.object({
  ...deletedSession.entries,
  /** real path of the workspace folder */
  folder: v.string(),
  /** what `opencode export` wrote: the session, then its sub-agents */
  exports: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(200)),
});
export type StoredSession = v.InferOutput<typeof stored>;

/** A session of days with all its outputs has some tens of MB. */
export const mostExportBytes = 256 * 1024 * 1024;
const mostDeleted = 1000;

/** Deleted sessions, as files in extension storage, where no agent can write: one folder for each workspace folder. */
export class DeletedSessions {
  /** @param directory of the extension's storage */
  constructor(private readonly directory: string) {}

  /** Keeps a session that is about to be deleted. */
  async keep({ exports, ...head }: StoredSession): Promise<void> {
    const folder = await this.folderOf(head.folder);
    await this.remove(head.folder, head.id);
    // first: what has a head can be restored
    await createFile(join(folder, `${head.id}.exports`), JSON.stringify(exports));
    await createFile(join(folder, `${head.id}.json`), JSON.stringify(head));
  }

  /** Those of a workspace folder, the latest first; what is older than {@link keptDays} is removed. */
  async list(workspace: string, now: number): Promise<DeletedSession[]> {
    const folder = await this.folderOf(workspace);
    const names = (await readdir(folder)).filter((name) => /^ses_\w+\.json$/.test(name));
    const heads = await Promise.all(names.slice(0, mostDeleted).map((name) => readHead(join(folder, name))));
    const found = heads.filter((head) => head !== undefined);
    const isOld = ({ deletedAt }: DeletedSession): boolean => now - deletedAt > keptDays * dayMilliseconds;
    for (const old of found.filter(isOld)) await this.remove(workspace, old.id);
    return found.filter((head) => !isOld(head)).sort((one, other) => other.deletedAt - one.deletedAt);
  }

  /** What `opencode export` wrote of a deleted session. @throws UnsafeFileError */
  async exportsOf(workspace: string, id: string): Promise<string[]> {
    const path = join(await this.folderOf(workspace), `${parseAs(sessionId, id)}.exports`);
    const content = await readSmallFile(path, mostExportBytes, { ours: true });
    return parseAs(stored.entries.exports, JSON.parse(content.toString('utf8')));
  }

  /** Forgets a deleted session, because it was restored or is too old. */
  async remove(workspace: string, id: string): Promise<void> {
    const folder = await this.folderOf(workspace);
    await rm(join(folder, `${parseAs(sessionId, id)}.json`), { force: true });
    await rm(join(folder, `${id}.exports`), { force: true });
  }

  private async folderOf(workspace: string): Promise<string> {
    const name = createHash('sha256').update(workspace).digest('hex').slice(0, 16);
    return await makePrivateFolders(this.directory, 'deleted', name);
  }
}

async function readHead(path: string): Promise<DeletedSession | undefined> {
  const content = await readSmallFile(path, 10_000, { ours: true }).catch(() => undefined);
  return content && tryParseJson(deletedSession, content.toString('utf8'));
}
