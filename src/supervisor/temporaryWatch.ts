import { statfs } from 'node:fs/promises';
import { settingKeys, settingName } from '../contributions';
import { measureTree, type TreeLimits } from '../host/treeSize';
import { message, type Message } from '../sandbox/message';

/** How long after one look the next one begins, at least. */
const pauseMilliseconds = 2000;

/**
 * A look is left out where the file system has not lost this part of what they may take since the last one: it would
 * find as little more. Others may free as much at the same time, and some count what was written only later.
 */
const lostPart = 64;

/** So many looks are left out in a row, at most. */
const mostLeftOut = 4;

/** So many times as long as a look took, nothing is looked at: a twentieth of a processor at most. */
const pauseFactor = 20;

/** Several times what builds of large packages leave; a look at so many takes two seconds. */
const mostEntries = 200_000;

/** Twice as deep as folders of packages are; two descriptors are open for each. */
const mostDepth = 100;

const mebibyte = 1024 * 1024;

/** Looks again and again at what a sandbox's temporary files take. */
export class TemporaryWatch {
  private timer: NodeJS.Timeout | undefined;
  private isDisposed = false;
  /** at the last look */
  private before: Room | undefined;
  private leftOut = 0;

  /**
   * @param path the folder with all of them
   * @param limitBytes what they may take
   * @param onLimit called once, with the reason, when they take more
   */
  constructor(
    private readonly path: string,
    private readonly limitBytes: number,
    private readonly onLimit: (reason: Message) => void,
  ) {
    this.lookAfter(pauseMilliseconds);
  }

  dispose(): void {
    this.isDisposed = true;
    clearTimeout(this.timer);
  }

  /** Whether enough may have been written since the last look for another one. */
  private isLost(room: Room | undefined): boolean {
    const { before, limitBytes } = this;
    if (room === undefined || before === undefined) return true;
    return (
      before.bytes - room.bytes > limitBytes / lostPart || before.files - room.files > mostEntries / lostPart
    );
  }

  private lookAfter(milliseconds: number): void {
    this.timer = setTimeout(() => void this.look(), milliseconds);
  }

  private async look(): Promise<void> {
    const since = performance.now();
    const room = await roomOf(this.path);
    if (this.isDisposed) return;
    if (this.leftOut < mostLeftOut && !this.isLost(room)) {
      this.leftOut += 1;
      this.lookAfter(pauseMilliseconds);
      return;
    }
    this.before = room;
    this.leftOut = 0;
    const limits: TreeLimits = { bytes: this.limitBytes, entries: mostEntries, depth: mostDepth };
    const { bytes, isCut } = await measureTree(this.path, limits);
    if (this.isDisposed) return;
    if (bytes > this.limitBytes) {
      this.onLimit(tooLarge(this.limitBytes));
    } else if (isCut) {
      this.onLimit(tooMany);
    } else {
      this.lookAfter(Math.max(pauseMilliseconds, (performance.now() - since) * pauseFactor));
    }
  }
}

interface Room {
  readonly bytes: number;
  readonly files: number;
}

/** @returns undefined for a file system that does not say what is free (an unlimited tmpfs), or is gone */
async function roomOf(path: string): Promise<Room | undefined> {
  const facts = await statfs(path).catch(() => undefined);
  if (facts === undefined || facts.blocks === 0) return undefined;
  return { bytes: facts.bfree * facts.bsize, files: facts.ffree };
}

/** What is said of the end. */
export function tooLarge(limitBytes: number): Message {
  return message(
    'The agent’s temporary files (/tmp and /var/tmp in the sandbox) took more than {0} MiB, so the sandbox was ended and they were removed. Start again, and have large files written into the folder; or raise the setting {1}.',
    Math.round(limitBytes / mebibyte),
    settingName(settingKeys.temporaryFilesLimit),
  );
}

const tooMany = message(
  'The agent’s temporary files (/tmp and /var/tmp in the sandbox) were more than {0}, or in folders within more than {1} folders, so the sandbox was ended and they were removed. Start again, and have so many files written into the folder.',
  mostEntries,
  mostDepth,
);
