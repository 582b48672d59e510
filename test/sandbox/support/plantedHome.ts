import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readBackups, type HomeBackup } from '../../../src/host/homeBackups';
import { backupsOf, noteHomeUse, ownHomeUse } from '../../../src/host/homeFolder';
import { removeTree } from '../../../src/host/removeTree';
import { DamagedHome, openHome } from '../../../src/launch/homeOpening';
import { remedyHome, type HomeRemedy } from '../../../src/launch/homeRemedies';
import { formatMessage } from '../../../src/sandbox/message';
import { keptAgent, openingOptions } from './keptHome';
import type { TestFolders } from './sandboxUnderTest';
import { dataOf, homeOf, readerOf } from './sessionHome';

/** What an agent can put in a place of its home, by what it is called. */
export const planted: Readonly<Record<string, (path: string) => void>> = {
  'a link to the backups': (path) => symlinkSync('/mnt/backups', path),
  'a link to nothing': (path) => symlinkSync('/mnt/backups/planted', path),
  'a FIFO': (path) => void spawnSync('/usr/bin/mkfifo', [path]),
  'a folder': (path) => mkdirSync(join(path, 'not empty'), { recursive: true }),
  'a closed folder': (path) => {
    mkdirSync(join(path, 'not empty'), { recursive: true });
    chmodSync(path, 0);
  },
  'a deep folder': makeDeep,
  'a closed file': (path) => writeFileSync(path, 'planted', { mode: 0 }),
  'a huge file': (path) => makeHuge(path, 'planted'),
  'a hard link': (path) =>
    linkSync(join(dirname(path), path.endsWith('.db') ? 'opencode.db-wal' : 'opencode.db'), path),
};

/** Deeper than a path can be long: made from the inside out. */
function makeDeep(path: string): void {
  const place = `${path}.deep`;
  for (let depth = 0; depth < 3000; depth += 1) {
    mkdirSync(`${place}.outer`);
    if (depth > 0) renameSync(place, `${place}.outer/${basename(place).slice(-8)}`);
    renameSync(`${place}.outer`, place);
  }
  renameSync(place, path);
}

/** A terabyte, of which nothing is on the disk. */
export function makeHuge(path: string, content?: string): void {
  if (content !== undefined) writeFileSync(path, content);
  const file = openSync(path, 'r+');
  ftruncateSync(file, 2 ** 40);
  closeSync(file);
}

/** Opens a home in which something was planted, as before a start. */
export class PlantedHome {
  readonly options = openingOptions();

  private constructor(
    private readonly folders: TestFolders,
    readonly specification: Awaited<ReturnType<typeof keptAgent>>,
  ) {}

  static async of(folders: TestFolders): Promise<PlantedHome> {
    return new PlantedHome(folders, await keptAgent(folders));
  }

  /** Puts something in a place of the home, instead of what is there. @param path below the home, or below opencode's folder */
  async plant(path: string, what: string): Promise<void> {
    const place = join(path.startsWith('opencode.db') ? dataOf(this.folders) : homeOf(this.folders), path);
    if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true) await removeTree(place);
    rmSync(place, { force: true });
    mkdirSync(dirname(place), { recursive: true });
    planted[what]?.(place);
  }

  /** As a supervisor that was killed leaves it. */
  async endBadly(): Promise<void> {
    const { pid } = spawnSync('/bin/true');
    const own = await ownHomeUse(this.specification.id);
    await noteHomeUse(this.specification.homeFolder, { ...own, pid, startTime: '1' });
  }

  /** @returns what is said; `damaged` when it can't be used as it is */
  async open(): Promise<string> {
    try {
      const notes = await openHome(this.specification, this.options);
      return notes.map(formatMessage).join('\n');
    } catch (error) {
      if (error instanceof DamagedHome) return 'damaged';
      throw error;
    }
  }

  async remedy(remedy: HomeRemedy): Promise<string> {
    try {
      return formatMessage(await remedyHome(this.specification, remedy, this.options));
    } catch (error) {
      if (error instanceof Error) error.stack += this.options.log.join('\n');
      throw error;
    }
  }

  backups(): Promise<HomeBackup[]> {
    return readBackups(this.specification.homeFolder);
  }

  /** All that is in the folder of the backups, and beside it, but for what is known. */
  strangers(): string[] {
    const { homeFolder } = this.specification;
    return [
      ...readdirSync(backupsOf(homeFolder)).filter((name) => !/^\d{13}-[\w.+-]*\.db$/.test(name)),
      ...readdirSync(homeFolder).filter((name) => !/^(backups|home\.json|[0-9a-f]{16}\.use)$/.test(name)),
    ];
  }

  async titles(): Promise<string[]> {
    const { reader } = readerOf(this.folders);
    try {
      await reader.refresh();
      return reader.store.sessions.map(({ title }) => title);
    } finally {
      await reader.close();
    }
  }
}
