import { readBackups, type HomeBackup } from '../host/homeBackups';
import {
  noteGoodEnds,
  ownHomeUse,
  readHomeRecord,
  readHomeUses,
  writeHomeRecord,
  type HomeRecord,
} from '../host/homeFolder';
import { readHomeLock } from '../host/homeLock';
import { hasDatabase, hasOlderSessions } from '../opencode/sessions/databaseFiles';
import { message, type Message } from '../sandbox/message';
import type { FileIdentity, SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';
import { homeLocked } from '../supervisor/homeUse';
import { makeBackup } from './homeBackup';
import type { Inspection } from './homeKeeper';
import { usesWithLock, withLock, type KeptHome } from './homeUsers';
import { isKept, nameAside, withKeeper, type HomeOpeningOptions } from './keeperSandbox';

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
    await noteGoodEnds(homeFolder, badEnds);
    if (isNewImage)
      await writeHomeRecord(homeFolder, { path: home.folder.path, image: image.identity, version: '' });
    return [];
  }
  options.tell(reasonToCheck(badEnds.length > 0, record !== undefined));
  const found = await withKeeper(specification, options, undefined, (keeper) =>
    keeper.inspect(isNewImage, nameAside()),
  );
  if (found.state === 'malformed') throw new DamagedHome(home.folder.path, await readBackups(homeFolder));
  // nothing is recorded or forgotten, so that it is looked at again before the next start
  if (found.state === 'unknown' || found.state === 'misplaced')
    return [notLookedAt(found.state, home.folder.path)];
  const notes = isNewImage ? await beforeNewVersion(specification, found, record, options) : [];
  await noteGoodEnds(homeFolder, badEnds);
  return notes;
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
  specification: KeptHome,
  { state, bytes, version }: Inspection,
  record: HomeRecord | undefined,
  options: HomeOpeningOptions,
): Promise<Message[]> {
  const { homeFolder, image, home } = specification;
  const notes: Message[] = [];
  if (state === 'good' && (version === '' || record?.version !== version)) {
    options.tell(
      message('A backup of opencode’s database is made, because its version is another one than before…'),
    );
    const before = { bytes, version: record?.version ?? '' };
    if (!(await makeBackup(specification, before, options))) notes.push(noBackup);
  }
  await writeHomeRecord(homeFolder, { path: home.folder.path, image: image.identity, version });
  return notes;
}

const noBackup = message(
  'No backup of opencode’s database could be made before another version of opencode uses it: is there space in your home folder? The log says more.',
);

/** Why opencode's database could not be looked at, which is told each time. */
function notLookedAt(state: 'misplaced' | 'unknown', path: string): Message {
  return state === 'misplaced'
    ? message(
        'In the agent’s home {0}, .local/share/opencode is a link or no folder: opencode’s database there is neither checked nor backed up. Put the folder itself in its place.',
        path,
      )
    : message(
        'opencode’s database in {0} could not be looked at, so it was neither checked nor backed up. Another sandbox may have locked it; else look at .local/share/opencode there.',
        path,
      );
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return one.inode === other.inode && one.size === other.size && one.changedTime === other.changedTime;
}
