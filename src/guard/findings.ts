import { type Finding, severityOf } from './finding';
import { FoundList } from './foundList';
import { changeOf, type Mark } from './mark';
import { isInsideGit } from './rules';

/** What the user knows of one workspace, and what waits for an answer. */
export class Findings {
  /** what the user knows, by the path below the workspace */
  readonly marks = new Map<string, Mark>();
  private readonly open = new FoundList();

  /** Goes on from what is known now, in the place of what was. */
  load(marks: Iterable<readonly [string, Mark]>, found: readonly Finding[], unkept: number): void {
    this.marks.clear();
    for (const [path, mark] of marks) this.marks.set(path, mark);
    this.open.load(found, unkept);
  }

  /** Those that are shown, the worst first. */
  list(): readonly Finding[] {
    return this.open.list();
  }

  /** How many more there are than are listed. */
  get more(): number {
    return this.open.more;
  }

  /** All that wait for an answer, listed or not. */
  all(): Finding[] {
    return [...this.open.all()];
  }

  /** How many more than {@link all} there are: what is there must not be taken as known before these were found again. */
  get unkept(): number {
    return this.open.unkept;
  }

  /** From now on only those of them are counted that are found again. @param count and so many others */
  countAnew(count = 0): void {
    this.open.countAnew(count);
  }

  /** Whether there is room for what could not be kept. */
  get hasRoom(): boolean {
    return this.open.hasRoom;
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
    if (this.open.get(path) !== undefined || this.isCovered(path)) return;
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
      this.open.set({ ...earlier, mark: now });
      return false;
    }
    const isSame = earlier?.mark.identity === now.identity && earlier.mark.rule === now.rule;
    if (isSame && earlier.isGone !== true) return false;
    this.open.set({ path, change, mark: now, foundAt: earlier?.foundAt ?? time });
    return true;
  }

  /** Nothing is at a path any more. @param wasFolder nor below it @returns whether the list has changed */
  gone(path: string, wasFolder = false): boolean {
    const below = wasFolder ? this.all().filter((each) => each.path.startsWith(`${path}/`)) : [];
    const found = [this.open.get(path), ...below].filter(
      (each) => each !== undefined && each.isGone !== true,
    );
    for (const each of found) if (each) this.open.set({ ...each, isGone: true });
    return found.length > 0;
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
}
