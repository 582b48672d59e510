import { statfs } from 'node:fs/promises';
import { inspect } from 'node:util';
import { nameOfBackup, pruneBackups, readBackups, type HomeBackup } from '../host/homeBackups';
import {
  backupsOf,
  noteGoodEnd,
  ownHomeUse,
  readHomeRecord,
  readHomeUses,
  writeHomeRecord,
  type HomeRecord,
} from '../host/homeFolder';
import { readHomeLock } from '../host/homeLock';
import { identify } from '../host/fileIdentity';
import { hasDatabase, hasOlderSessions } from '../opencode/sessions/databaseFiles';
import { message, type Message } from '../sandbox/message';
import type { SessionSandbox } from '../sandbox/sessionPlan';
import type { FileIdentity, SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';
import { homeLocked } from '../supervisor/homeUse';
import { HomeKeeper, keeperScript, type Inspection, type Repaired } from './homeKeeper';
import { editorEnvironment } from './homeSessions';
import { requireUnused, usesWithLock, withLock, type KeptHome } from './homeUsers';
import type { ScriptProcess } from './scriptProcess';

export interface HomeOpeningOptions {
  readonly startScript: (
    sandbox: SessionSandbox,
    script: string,
    onLine: (line: string) => void,
  ) => Promise<ScriptProcess>;
  /** is told what is done, for the person who waits */
  readonly tell: (text: Message) => void;
  readonly onLog: (line: string) => void;
  readonly signal: AbortSignal;
  /** somebody knows that this opencode does not read the sessions of 1.1 and older */
  readonly acceptsOlder?: true;
}

/** There are sessions of opencode 1.1 or older and no database yet: the next start makes one, without them. */
export class OlderHome extends UserError {
  constructor(path: string) {
    super(
      'home.older',
      message(
        'The sessions in {0} were made by opencode 1.1 or older, and later versions do not read them. opencode 1.2 takes them over, but only as long as no later version was started there. If you go on, they stay where they are and are not listed.',
        path,
      ),
    );
  }
}

/** opencode's database in the home is damaged; `ui/` offers what can be done. */
export class DamagedHome extends UserError {
  constructor(
    path: string,
    /** the latest first */
    readonly backups: readonly HomeBackup[],
  ) {
    super(
      'home.damaged',
      message('opencode’s database in {0} is damaged. Nothing was started, and nothing was changed.', path),
    );
  }
}

/** What was done about a damaged database. */
export type HomeRemedy =
  | { readonly kind: 'repair' }
  | { readonly kind: 'restore'; readonly backup: HomeBackup }
  | { readonly kind: 'startFresh' };

/**
 * Looks at opencode's database before a sandbox gets it: after an end that was not a good one, before the first use
 * of a home that this extension does not know, and before another version of opencode changes it, of which a backup
 * is made first. Otherwise nothing is started for it.
 *
 * @returns what the person should know besides
 * @throws DamagedHome, OlderHome; UserError `home.locked`, `home.busy`, and what the keeper's sandbox throws; Cancelled
 */
export async function openHome(
  specification: SandboxSpecification,
  options: HomeOpeningOptions,
): Promise<Message[]> {
  if (!isKept(specification) || specification.kind === 'shell') return [];
  const { id, home, homeFolder } = specification;
  const own = await ownHomeUse(id);
  const holder = await readHomeLock(homeFolder);
  // one on this computer is only being given back, or the supervisor will say so
  if (holder && holder.bootId !== own.bootId) throw homeLocked(home.folder.path, holder, homeFolder);
  const { live, badEnds } = await readHomeUses(homeFolder);
  if (holder || live.every(({ bootId }) => bootId === own.bootId))
    return look(specification, badEnds, options);
  // whether those of other computers have ended is known to who has the lock
  return withLock(specification, own, async () =>
    look(specification, (await usesWithLock(homeFolder, own)).badEnds, options),
  );
}

/** @param badEnds ids of the sandboxes that have not ended well */
async function look(
  specification: KeptHome,
  badEnds: readonly string[],
  options: HomeOpeningOptions,
): Promise<Message[]> {
  const { home, homeFolder, image } = specification;
  const record = await readHomeRecord(homeFolder);
  const isNewImage = record === undefined || !isSame(record.image, image.identity);
  if (badEnds.length === 0 && !isNewImage) return [];
  if (!(await hasDatabase(home.folder.path))) {
    if (options.acceptsOlder !== true && (await hasOlderSessions(home.folder.path)))
      throw new OlderHome(home.folder.path);
    await forget(homeFolder, badEnds);
    if (isNewImage)
      await writeHomeRecord(homeFolder, { path: home.folder.path, image: image.identity, version: '' });
    return [];
  }
  options.tell(reasonToCheck(badEnds.length > 0, record !== undefined));
  return withKeeper(specification, options, async (keeper) => {
    const found = await keeper.inspect(isNewImage);
    if (found.state === 'malformed') {
      throw new DamagedHome(home.folder.path, await readBackups(homeFolder));
    }
    const notes = isNewImage ? await beforeNewVersion(specification, keeper, found, record, options) : [];
    // what could not be looked at is looked at again
    if (found.state !== 'unknown') await forget(homeFolder, badEnds);
    return notes;
  });
}

/**
 * Does something about a damaged database. It is moved aside, within the home, and never removed.
 * @returns what was kept, to be told
 * @throws UserError `home.inUse` while anything uses the home, and as {@link openHome}
 */
export async function remedyHome(
  specification: SandboxSpecification,
  remedy: HomeRemedy,
  options: HomeOpeningOptions,
): Promise<Message> {
  if (!isKept(specification)) throw new Error('a home in memory can’t be damaged');
  const own = await ownHomeUse(specification.id);
  return withLock(specification, own, async () => {
    const badEnds = await requireUnused(specification, own);
    const aside = new Date().toISOString().replaceAll(/[^\dT]/g, '');
    const text = await withKeeper(specification, options, (keeper) => carryOut(keeper, remedy, aside));
    await forget(specification.homeFolder, badEnds);
    return text;
  });
}

async function carryOut(keeper: HomeKeeper, remedy: HomeRemedy, aside: string): Promise<Message> {
  switch (remedy.kind) {
    case 'repair':
      return repairedText(await keeper.repair(aside), aside);
    case 'restore':
      await keeper.restore(remedy.backup.name, aside);
      return message(
        'The backup of {0} is in place. The damaged database is in .local/share/opencode/damaged/{1} in the agent’s home.',
        new Date(remedy.backup.time).toLocaleString(),
        aside,
      );
    case 'startFresh':
      await keeper.startFresh(aside);
      return message(
        'The agent starts without sessions. The damaged database is in .local/share/opencode/damaged/{0} in its home.',
        aside,
      );
  }
}

function repairedText({ sessions, messages, gaps, withoutLog }: Repaired, aside: string): Message {
  return gaps === 0 && !withoutLog
    ? message(
        'The database was rebuilt: {0} sessions with {1} messages. Every row could be read. The damaged one is in .local/share/opencode/damaged/{2} in the agent’s home.',
        sessions,
        messages,
        aside,
      )
    : message(
        'The database was rebuilt: {0} sessions with {1} messages. Not everything could be read ({2} gaps), so messages are missing. The damaged one is in .local/share/opencode/damaged/{3} in the agent’s home.',
        sessions,
        messages,
        withoutLog ? gaps + 1 : gaps,
        aside,
      );
}

function reasonToCheck(hasBadEnds: boolean, isKnown: boolean): Message {
  if (hasBadEnds) {
    return message(
      'opencode had no time to close its database in this home the last time, so it is checked…',
    );
  }
  return isKnown
    ? message('opencode’s database is checked, because the image is another one than before…')
    : message('opencode’s database is checked, because this home was not used from here before…');
}

/** @returns what to tell */
async function beforeNewVersion(
  { homeFolder, image, home }: KeptHome,
  keeper: HomeKeeper,
  { state, bytes, version }: Inspection,
  record: HomeRecord | undefined,
  { tell, onLog }: HomeOpeningOptions,
): Promise<Message[]> {
  // nothing is recorded, so that it is looked at again before the next start
  if (state === 'unknown') return [noBackup];
  const notes: Message[] = [];
  if (state === 'good' && (version === '' || record?.version !== version)) {
    tell(message('A backup of opencode’s database is made, because its version is another one than before…'));
    const name = nameOfBackup(Date.now(), record?.version ?? '');
    const isDone = (await hasRoom(homeFolder, bytes)) && (await isMade(keeper, name, onLog));
    if (isDone) await pruneBackups(homeFolder);
    else notes.push(noBackup);
  }
  await writeHomeRecord(homeFolder, { path: home.folder.path, image: image.identity, version });
  return notes;
}

const noBackup = message(
  'No backup of opencode’s database could be made before another version of opencode uses it: is there space in your home folder? The log says more.',
);

async function isMade(keeper: HomeKeeper, name: string, onLog: (line: string) => void): Promise<boolean> {
  try {
    await keeper.backUp(name);
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onLog(inspect(error));
    return false;
  }
}

/** A disk with a quota says so only when it is written. */
async function hasRoom(folder: string, bytes: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize > 2 * bytes;
}

async function forget(homeFolder: string, badEnds: readonly string[]): Promise<void> {
  for (const id of badEnds) await noteGoodEnd(homeFolder, id);
}

async function withKeeper<Result>(
  specification: KeptHome,
  { startScript, onLog, signal }: HomeOpeningOptions,
  work: (keeper: HomeKeeper) => Promise<Result>,
): Promise<Result> {
  const { apptainer, image, home, homeFolder, runDirectoryParents } = specification;
  const backups = backupsOf(homeFolder);
  const sandbox: SessionSandbox = {
    ...{ apptainer, image, runDirectoryParents, home: home.folder, mayWrite: true },
    backups: { path: backups, identity: await identify(backups) },
    insideEnvironment: { ...editorEnvironment },
  };
  return HomeKeeper.use((onLine) => startScript(sandbox, keeperScript, onLine), { onLog, signal }, work);
}

function isKept(specification: SandboxSpecification): specification is KeptHome {
  return specification.home.kind === 'folder' && specification.homeFolder !== undefined;
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return one.inode === other.inode && one.size === other.size && one.changedTime === other.changedTime;
}
