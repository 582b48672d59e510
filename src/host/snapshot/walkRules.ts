import { fstatSync } from 'node:fs';
import { type BytePath, fromText, parentOf, rootPath } from '../../snapshot/bytePath';
import { type IgnoreRules, isIgnored, parseIgnoreFile } from '../../snapshot/ignoreRules';
import { isUsedUp, type MatchingWork } from '../../snapshot/namePattern';
import { entryOf, readInto } from '../pinned';

/** No .gitignore that people write is larger. */
const largestIgnoreFile = 2 ** 20;

/** So much of them is read and kept in all; what is beyond hides nothing. */
const mostIgnoreBytes = 16 * 2 ** 20;

export interface RuleOptions {
  /** read .gitignore files; or those that only the user can have made, else what counted earlier; or these, by folder */
  readonly ignoreFiles: 'read' | EarlierRules | GivenRules;
  /**
   * whether an earlier look, whose rules these are, has found something there: that is not ignored, whatever becomes of
   * the limits of matching; and once these are used up, what is new is left out, which `hidesNew` says
   */
  readonly isKnown?: (path: BytePath) => boolean;
  /** default: as many as `namePattern.ts` has */
  readonly mostMatchingSteps?: number;
}

/**
 * What .gitignore files said earlier, by folder, and until and since when only the user can have changed them, in
 * milliseconds since the epoch.
 */
export interface EarlierRules {
  readonly earlier: ReadonlyMap<BytePath, string>;
  readonly until: number;
  readonly since: number;
}

/** What .gitignore files say, by folder, whatever there is. */
export interface GivenRules {
  readonly given: ReadonlyMap<BytePath, string>;
}

/** Which of .gitignore files count in a walk, and what they hide. */
export class WalkRules {
  /** those that count, by folder */
  readonly files = new Map<BytePath, string>();
  /** something new was left out that may not be ignored */
  hidesNew = false;
  private bytes = 0;
  private readonly work: MatchingWork;
  private readonly buffer = Buffer.allocUnsafe(largestIgnoreFile);
  /** folders in which, and above which, nothing was moved or made since only the user could do it */
  private readonly untouched = new Set<BytePath>();

  constructor(private readonly options: RuleOptions) {
    const { mostMatchingSteps: mostSteps } = options;
    this.work = { steps: 0, ...(mostSteps === undefined ? {} : { mostSteps }) };
  }

  /** The rules for what is in a folder. @param folder open @param above those for the folder itself */
  within(folder: number, path: BytePath, above: readonly IgnoreRules[]): readonly IgnoreRules[] {
    const text = this.textFor(folder, path);
    if (text === undefined) return above;
    this.files.set(path, text);
    this.bytes += text.length;
    return [...above, parseIgnoreFile(path, text)];
  }

  /** Whether something is left out. */
  hide(rules: readonly IgnoreRules[], path: BytePath, isFolder: boolean): boolean {
    const { isKnown } = this.options;
    if (rules.length === 0 || isKnown?.(path)) return false;
    if (isIgnored(rules, path, isFolder, this.work)) return true;
    // it may have been there all the time, ignored: told to be new it would be removed by a revert
    if (!isKnown || !isUsedUp(this.work)) return false;
    this.hidesNew = true;
    return true;
  }

  /** What is given has been limited when it was read; were it again, in another order, other rules would count. */
  private textFor(folder: number, path: BytePath): string | undefined {
    const { ignoreFiles } = this.options;
    if (ignoreFiles !== 'read' && 'given' in ignoreFiles) return ignoreFiles.given.get(path);
    if (ignoreFiles !== 'read') this.noteUntouched(folder, path, ignoreFiles);
    if (this.bytes >= mostIgnoreBytes) return undefined;
    try {
      const file = readInto(this.buffer, entryOf(folder, fromText('.gitignore')));
      if (!file) return undefined;
      return ignoreFiles === 'read' || this.isUsers(path, Number(file.stats.ctimeMs), ignoreFiles)
        ? file.content.toString('latin1')
        : ignoreFiles.earlier.get(path);
    } catch {
      // there is none, or git could not read it either
      return undefined;
    }
  }

  /** Rules that were changed while an agent could do it are not the user's. */
  private isUsers(path: BytePath, changed: number, { until, since }: EarlierRules): boolean {
    return changed > since || (changed < until && this.untouched.has(path));
  }

  /** An agent can move a folder with rules that it has not changed. The workspace itself it can't. */
  private noteUntouched(folder: number, path: BytePath, { until }: EarlierRules): void {
    if (until === 0 || (path !== rootPath && !this.untouched.has(parentOf(path)))) return;
    if (path === rootPath || Number(fstatSync(folder, { bigint: true }).ctimeMs) < until)
      this.untouched.add(path);
  }
}
