import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withClaim } from '../host/claim';
import { writeWhole } from '../host/ownFiles';
import { makePrivateFolders } from '../host/privateFolders';
import { createFile, readSmallFile, UnsafeFileError } from '../host/safeFiles';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { type Contents, readPack, writePack } from './contentPack';
import { digest, identityText } from './examine';
import { type GuardState, readState, writeState } from './guardState';
import { statsAt } from './lookAtOne';
import { mergeStates } from './mergeStates';

const stateName = 'state.json';
const packName = 'contents.pack';
/** as many findings and marks as are kept, see `foundList.ts` and `learning.ts` */
const maximumStateBytes = 64 * 1024 * 1024;
/** Of all contents that are kept for comparisons. */
export const maximumKeptBytes = 16 * 1024 * 1024;
/** A look at a large folder on a slow disk takes less. */
const patienceMilliseconds = 120_000;
const contentName = /^[0-9a-f]{64}$/;

/** Keeps what is known of one workspace in extension storage, in a folder of its own, 0700. */
export class GuardStore {
  private keptBytes = 0;
  /** what was read or written last, and the identity of the file then: each write makes another file */
  private base: { readonly state: GuardState | undefined; readonly identity: string | undefined } | undefined;

  private constructor(private readonly directory: string) {}

  /** @param storageDirectory of the extension @param workspace real path */
  static async open(storageDirectory: string, workspace: string): Promise<GuardStore> {
    const directory = await makePrivateFolders(storageDirectory, 'guard', digest(workspace).slice(0, 32));
    for (const name of ['contents', 'quarantine']) await makePrivateFolders(directory, name);
    return new GuardStore(directory);
  }

  /** Where `guard/quarantine.ts` keeps what it takes away. */
  get quarantineDirectory(): string {
    return join(this.directory, 'quarantine');
  }

  /**
   * Does something while no other window does so, or writes. It may write, and must not be nested.
   * @throws UserError `guard.busy` when another window does not get on with it
   */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const patience = { milliseconds: patienceMilliseconds, tooLate: busy };
    return withClaim(join(this.directory, 'claim'), patience, work);
  }

  /**
   * What was written last, by whatever window.
   * @returns undefined when nothing was ever written @throws what went wrong when it can't be read or understood
   */
  async read(): Promise<GuardState | undefined> {
    const identity = await this.identity();
    const content = await readSmallFile(this.path, maximumStateBytes, { ours: true }).catch(
      (error: unknown) => {
        if (error instanceof UnsafeFileError && error.reason === 'missing') return undefined;
        throw error;
      },
    );
    const state = content && (await readState(content));
    this.base = { state, identity };
    return state;
  }

  /**
   * Writes the state, at once and whole, and with it what another window has written since; inside {@link exclusively}.
   * @param isUnsettled undefined: as it is @returns what was written
   */
  async write(
    mine: Omit<GuardState, 'isUnsettled'>,
    isUnsettled: boolean | undefined,
  ): Promise<{ readonly state: GuardState; readonly isMerged: boolean }> {
    const base = this.base?.state;
    const isMerged = this.base === undefined || this.base.identity !== (await this.identity());
    // what can't be read was told when it was read first
    const theirs = isMerged ? await this.read().catch(() => undefined) : base;
    const state = {
      ...mine,
      ...(isMerged && theirs ? mergeStates(base, mine, theirs) : {}),
      isUnsettled: isUnsettled ?? theirs?.isUnsettled ?? false,
    };
    await writeWhole(this.path, await writeState(state));
    this.base = { state, identity: await this.identity() };
    return { state, isMerged: isMerged && theirs !== undefined };
  }

  /** Keeps a content for later comparisons, while there is room. @returns its name, undefined when it is not kept */
  async keep(content: Buffer): Promise<string | undefined> {
    const name = digest(content);
    if (this.keptBytes + content.length > maximumKeptBytes) return undefined;
    if (await createFile(join(this.directory, 'contents', name), content)) this.keptBytes += content.length;
    return name;
  }

  /**
   * Keeps all contents of a look at once, in the place of what was kept before.
   * @param news what was read, by its sha256
   * @param used the names of all that is still to be compared with
   */
  async keepAll(news: Contents, used: ReadonlySet<string>): Promise<void> {
    const pack = join(this.directory, packName);
    const earlier = await readPack(pack);
    const contents = new Map<string, Buffer>();
    let bytes = 0;
    for (const name of used) {
      const content = news.get(name) ?? earlier.get(name) ?? (await this.keptAlone(name));
      if (content && bytes + content.length <= maximumKeptBytes) {
        bytes += content.length;
        contents.set(name, content);
      }
    }
    await writePack(pack, contents);
    const folder = join(this.directory, 'contents');
    await Promise.all((await readdir(folder)).map((name) => rm(join(folder, name), { force: true })));
    this.keptBytes = bytes;
  }

  /** A content that was kept. */
  async kept(name: string): Promise<Buffer | undefined> {
    return (await this.keptAlone(name)) ?? (await readPack(join(this.directory, packName))).get(name);
  }

  private get path(): string {
    return join(this.directory, stateName);
  }

  private async identity(): Promise<string | undefined> {
    const stats = await statsAt(this.path);
    return stats && identityText(stats);
  }

  private async keptAlone(name: string): Promise<Buffer | undefined> {
    if (!contentName.test(name)) return undefined;
    return readSmallFile(join(this.directory, 'contents', name), maximumKeptBytes, { ours: true }).catch(
      () => undefined,
    );
  }
}

function busy(): UserError {
  return new UserError(
    'guard.busy',
    message('Another window has been looking at this folder for a long time. Try again.'),
  );
}
