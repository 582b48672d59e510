import { type Finding, severityOf, sortedFindings } from './finding';
import { changeOf, type Mark } from './mark';
import { isInsideGit, ruleOf, type Severity } from './rules';

/** An agent can make any number; beyond so many of one severity they are only counted. */
const mostOfSeverity = 300;
const mostCounted = 10_000;

/** What the user knows of one workspace, and what waits for an answer. */
export class Findings {
  /** what the user knows, by the path below the workspace */
  readonly marks = new Map<string, Mark>();
  private readonly open = new Map<string, Finding>();
  private readonly others = new Set<string>();

  /** Goes on from what is known now, in the place of what was. */
  load(marks: Iterable<readonly [string, Mark]>, found: readonly Finding[]): void {
    this.marks.clear();
    for (const [path, mark] of marks) this.marks.set(path, mark);
    this.open.clear();
    found.forEach((each) => this.open.set(each.path, each));
  }

  /** The worst first. */
  list(): Finding[] {
    return sortedFindings(this.open.values());
  }

  /** How many more there are than are listed. */
  get more(): number {
    return this.others.size;
  }

  get(path: string): Finding | undefined {
    return this.open.get(path);
  }

  /** The mark that something had when it was looked at last. */
  latest(path: string): Mark | undefined {
    const found = this.open.get(path);
    return found && found.isGone !== true ? found.mark : this.marks.get(path);
  }

  /** Takes what is there now as known, unless an answer to it is waited for. */
  learn(path: string, now: Mark | undefined): void {
    if (this.open.has(path) || this.isCovered(path)) return;
    if (now) this.marks.set(path, now);
    else this.marks.delete(path);
  }

  /** Compares what is there now with what is known. @returns whether the list has changed */
  compare(path: string, now: Mark | undefined, time: number): boolean {
    const known = this.marks.get(path);
    const change = now && changeOf(known, now);
    if (now === undefined || change === undefined) {
      if (now && known) this.marks.set(path, { ...known, identity: now.identity });
      return this.takenBack(path);
    }
    if (this.isCovered(path)) return false;
    const earlier = this.open.get(path);
    if (
      earlier &&
      earlier.isGone !== true &&
      earlier.mark.content === now.content &&
      now.content !== undefined
    ) {
      this.open.set(path, { ...earlier, mark: now });
      return false;
    }
    if (earlier?.mark.identity === now.identity && earlier.isGone !== true) return false;
    if (!earlier && this.count(ruleOf(now.rule).severity) >= mostOfSeverity) {
      if (this.others.size >= mostCounted) return false;
      this.others.add(path);
      return true;
    }
    this.open.set(path, { path, change, mark: now, foundAt: earlier?.foundAt ?? time });
    return true;
  }

  /** Nothing is at a path, nor below it, any more. @returns whether the list has changed */
  gone(path: string): boolean {
    let isChanged = false;
    for (const each of this.open.values()) {
      if ((each.path === path || each.path.startsWith(`${path}/`)) && each.isGone !== true) {
        this.open.set(each.path, { ...each, isGone: true });
        isChanged = true;
      }
    }
    return isChanged;
  }

  /** It may have acted meanwhile, so only what runs when it is asked to is forgotten. @returns whether the list has changed */
  private takenBack(path: string): boolean {
    const found = this.open.get(path);
    if (found === undefined) return false;
    return severityOf(found) === 'notice' ? this.open.delete(path) : this.gone(path);
  }

  /** Takes a finding off the list; what is there now is known from then on. */
  settle(path: string, now: Mark | undefined): void {
    this.open.delete(path);
    if (now) this.marks.set(path, now);
  }

  /** A new repository is one finding, not one for each of its files. */
  private isCovered(path: string): boolean {
    if (!isInsideGit(path)) return false;
    const repository = path.slice(0, path.toLowerCase().lastIndexOf('/.git/') + 5);
    const top = path.toLowerCase().startsWith('.git/') ? path.slice(0, 4) : repository;
    return [top, repository].some((each) => this.open.get(each)?.mark.rule === 'repository');
  }

  private count(severity: Severity): number {
    return [...this.open.values()].filter((each) => severityOf(each) === severity).length;
  }
}
