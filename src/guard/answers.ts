import { basename, dirname } from 'node:path';
import { examine, type Examined, type GuardedFolder } from './examine';
import type { Findings } from './findings';
import type { GuardStore } from './guardStore';
import { examineAt, statsAt } from './lookAtOne';
import { isSameAs, type Mark } from './mark';
import { scanTree, type SeenEntry } from './scanTree';

export interface AnswersOptions {
  readonly folder: GuardedFolder;
  readonly findings: Findings;
  readonly store: GuardStore;
  readonly signal: AbortSignal;
  /** compares what was seen at a path with what is known */
  readonly compare: (path: string, now: Mark) => void;
  /** looks at what is at a path by now, as if it were new */
  readonly compareAnew: (path: string) => Promise<void>;
  /** all of a repository is known from now on */
  readonly learnRepository: (path: string) => Promise<void>;
  /** the list of findings has changed */
  readonly onChange: () => void;
}

/** What an answer to a finding does to what is known: it is for what was shown, not for what is there by then. */
export class Answers {
  constructor(private readonly options: AnswersOptions) {}

  /**
   * Takes a finding as known, as it was shown and compared now; nothing is read again afterwards.
   * @param shown what the answer is for; what was found last, unless the caller knows better
   * @returns false when it has changed since, or what was gone is there again: then it still stands
   */
  async allow(path: string, shown?: Mark): Promise<boolean> {
    const { findings, folder, compare, learnRepository } = this.options;
    const found = findings.get(path);
    if (!found) return true;
    const now = await examineAt(folder, path);
    // what was gone or put back is answered as long as it is so
    const expected = found.isGone === true ? findings.marks.get(path) : (shown ?? found.mark);
    if (now && (expected === undefined || !isSameAs(expected, now.mark))) {
      compare(path, now.mark);
      return false;
    }
    await this.settle(path, now);
    if (now?.mark.rule === 'repository') await learnRepository(path);
    return true;
  }

  /** A finding was taken out of the workspace, or is gone: what is in its place by now is compared as if it were new. */
  async takenAway(path: string): Promise<void> {
    await this.settle(path, undefined);
    await this.options.compareAnew(path);
  }

  /**
   * Something was put back: what was kept is known from then on, and what is there by now is compared with it.
   * @param kept where it is kept
   */
  async putBack(path: string, kept: string): Promise<void> {
    const { signal, compareAnew } = this.options;
    await this.settle(path, undefined);
    const top = basename(kept);
    const learn = ({ path: below, ...entry }: SeenEntry): Promise<void> =>
      this.learn({ ...entry, path: `${path}${below.slice(top.length)}` });
    const stats = await statsAt(kept);
    if (stats) await learn({ path: top, place: kept, stats });
    if (stats?.isDirectory() === true) {
      const nothing = (): undefined => undefined;
      const all = { enter: nothing, closed: nothing, listed: nothing, isLookedInto: () => true };
      await scanTree(dirname(kept), top, { ...all, see: learn }, { signal });
    }
    await compareAnew(path);
  }

  private async learn({ path, place, stats }: SeenEntry): Promise<void> {
    const found = await examine(path, place, stats, this.options.folder);
    if (found) this.options.findings.learn(path, await this.withContent(found));
  }

  /** Takes a finding off the list. @param now what is known from then on */
  private async settle(path: string, now: Examined | undefined): Promise<void> {
    this.options.findings.settle(path, now && (await this.withContent(now)));
    this.options.onChange();
  }

  private async withContent({ mark, content }: Examined): Promise<Mark> {
    const kept = content && (await this.options.store.keep(content));
    return kept === undefined ? mark : { ...mark, kept };
  }
}
