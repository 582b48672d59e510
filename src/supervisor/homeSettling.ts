import { join } from 'node:path';
import * as v from 'valibot';
import { maximumHomeFileBytes } from '../host/homeFolder';
import { readJson, writeWhole } from '../host/ownFiles';
import { databaseChangedTime } from '../opencode/sessions/databaseFiles';
import { fileIdentity, type FileIdentity } from '../sandbox/specification';

const settled = v.object({ image: fileIdentity });

/**
 * Whether opencode of this image has made its tables in a home, or changed those of another version. Two that do so at
 * the same time get into each other's way, and one fails (measured with 1.18: `CREATE TABLE` of what is there).
 */
export async function isSettled(homeFolder: string, home: string, image: FileIdentity): Promise<boolean> {
  const known = await readJson(settledPath(homeFolder), settled, maximumHomeFileBytes);
  const isSame = known?.image.inode === image.inode && known.image.changedTime === image.changedTime;
  return isSame && (await databaseChangedTime(home)) !== undefined;
}

/** Notes that it has. */
export async function noteSettled(homeFolder: string, image: FileIdentity): Promise<void> {
  await writeWhole(settledPath(homeFolder), JSON.stringify({ image }));
}

function settledPath(homeFolder: string): string {
  return join(homeFolder, 'settled.json');
}

const pollMilliseconds = 500;
/** The tables are made within a second, in one go. */
const quietMilliseconds = 2000;
/** One that works at once is never quiet. */
const longestMilliseconds = 5000;
/** One that waits for a person may have had nothing to write. */
const patienceMilliseconds = 60_000;

/** Waits until opencode has made its tables, as far as can be told from outside: the database was written, and is quiet. */
export class Settling {
  private timer: NodeJS.Timeout | undefined;
  private seen: number | undefined;
  private seenSince = -Infinity;
  private firstSeen: number | undefined;
  private readonly since = performance.now();

  /**
   * To be made when opencode starts.
   * @param before when the database had been written before
   * @param onSettled called once
   * @param patience how long it may write nothing
   */
  constructor(
    private readonly home: string,
    private readonly before: number | undefined,
    private readonly onSettled: () => void,
    private readonly patience = patienceMilliseconds,
  ) {
    this.lookSoon();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private lookSoon(): void {
    this.timer = setTimeout(() => void this.look(), pollMilliseconds);
  }

  private async look(): Promise<void> {
    const changed = await databaseChangedTime(this.home).catch(() => undefined);
    if (this.timer === undefined) return;
    const now = performance.now();
    if (changed !== this.seen) {
      this.seen = changed;
      this.seenSince = now;
    }
    const isUntouched = changed === undefined || changed === this.before;
    if (isUntouched && now - this.since < this.patience) return this.lookSoon();
    this.firstSeen ??= now;
    const isQuiet = now - this.seenSince >= quietMilliseconds;
    if (isQuiet || now - this.firstSeen >= longestMilliseconds) this.onSettled();
    else this.lookSoon();
  }
}
