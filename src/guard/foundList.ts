import { depthOf, type Finding, severityOf, sortedFindings } from './finding';
import type { Severity } from './ruleTexts';

/** So many of one severity are shown at a time; when they are answered the next ones are. */
const mostShown = 300;
/** An agent can make any number; beyond so many of one severity they are only counted. */
const mostKept = 3000;
/** Of one severity: 3000 with long paths. With what is known it must fit into what is read of what is kept. */
const mostKeptBytes = 7 * 2 ** 20;
/** of a finding without its path */
const findingBytes = 400;
const mostCounted = 10_000;

/** The findings that wait for an answer, as many as are kept: those of one severity never push out another's. */
export class FoundList {
  private readonly found = new Map<string, Finding>();
  private readonly kept = new Map<Severity, { readonly count: number; readonly bytes: number }>();
  /** how deep the deepest may be */
  private readonly deepest = new Map<Severity, number>();
  private shown: Finding[] | undefined;
  /** of those that were found and are not kept; an earlier list counted others */
  private readonly given = new Set<string>();
  private givenBefore = 0;

  /** Goes on from these. */
  load(findings: readonly Finding[], unkept: number): void {
    this.found.clear();
    this.kept.clear();
    this.deepest.clear();
    this.shown = undefined;
    this.given.clear();
    findings.forEach((each) => this.set(each));
    this.givenBefore = unkept;
  }

  /** The first of each severity, the worst first. */
  list(): Finding[] {
    if (this.shown) return this.shown;
    const shown = new Map<Severity, number>();
    this.shown = sortedFindings(this.found.values()).filter((each) => {
      const severity = severityOf(each);
      const count = (shown.get(severity) ?? 0) + 1;
      shown.set(severity, count);
      return count <= mostShown;
    });
    return this.shown;
  }

  /** How many there are that are not kept: only a comparison with what is known finds them again. */
  get unkept(): number {
    return this.givenBefore + this.given.size;
  }

  /** From now on only those are counted that are found again. @param count and so many others */
  countAnew(count = 0): void {
    this.given.clear();
    this.givenBefore = count;
  }

  /** How many more there are than are listed. */
  get more(): number {
    return this.found.size - this.list().length + this.unkept;
  }

  /** All that are kept. */
  all(): IterableIterator<Finding> {
    return this.found.values();
  }

  get(path: string): Finding | undefined {
    return this.found.get(path);
  }

  /** Adds a finding, or puts it in the place of the one with this path. Where there are too many the deepest goes. */
  set(finding: Finding): void {
    this.delete(finding.path);
    const severity = severityOf(finding);
    const depth = depthOf(finding);
    while (!this.hasRoomFor(finding)) {
      if (!this.makeRoom(severity, depth)) return this.giveUp(finding.path);
    }
    this.given.delete(finding.path);
    this.found.set(finding.path, finding);
    this.count(finding, 1);
    this.deepest.set(severity, Math.max(depth, this.deepest.get(severity) ?? 0));
  }

  delete(path: string): boolean {
    const found = this.found.get(path);
    this.shown = undefined;
    if (!found) return false;
    this.count(found, -1);
    return this.found.delete(path);
  }

  /** Whether more can be kept of a severity of which some are not. */
  get hasRoom(): boolean {
    const isHalf = ({ count, bytes }: { count: number; bytes: number }): boolean =>
      count < mostKept / 2 && bytes < mostKeptBytes / 2;
    return this.unkept > 0 && [...this.kept.values()].some(isHalf);
  }

  private hasRoomFor(finding: Finding): boolean {
    const { count, bytes } = this.kept.get(severityOf(finding)) ?? nothing;
    return count < mostKept && bytes + bytesOf(finding) <= mostKeptBytes;
  }

  private count(finding: Finding, change: 1 | -1): void {
    const severity = severityOf(finding);
    const { count, bytes } = this.kept.get(severity) ?? nothing;
    this.kept.set(severity, { count: count + change, bytes: bytes + change * bytesOf(finding) });
  }

  /** Gives up one that lies deeper. @returns whether there was one */
  private makeRoom(severity: Severity, depth: number): boolean {
    if (depth >= (this.deepest.get(severity) ?? 0)) return false;
    const same = [...this.found.values()].filter((each) => severityOf(each) === severity);
    const [first, second] = same.map(depthOf).sort((one, other) => other - one);
    this.deepest.set(severity, second ?? depth);
    const given = same.find((each) => depthOf(each) === first);
    if (given === undefined || depthOf(given) <= depth) return false;
    this.giveUp(given.path);
    return this.delete(given.path);
  }

  private giveUp(path: string): void {
    if (this.given.size < mostCounted) this.given.add(path);
  }
}

const nothing = { count: 0, bytes: 0 };

/** As it is kept. */
function bytesOf({ path }: Finding): number {
  return Buffer.byteLength(JSON.stringify(path)) + findingBytes;
}
