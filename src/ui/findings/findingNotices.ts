import { severityOf } from '../../guard/finding';
import type { PlacedFinding } from './findingRows';

export interface FindingNoticesOptions {
  /** tells, in words of our own, that something was found; resolves when that is over */
  readonly notify: () => Promise<void>;
  /** whether the view is in sight */
  readonly isLookedAt: () => boolean;
}

/** Beyond so many nothing new is told: an agent could go on for ever. */
const mostTold = 1000;

/** Decides what is told of findings: only of severe ones, of each once, and never two notifications at a time. */
export class FindingNotices {
  private readonly told = new Set<string>();
  private isOpen = false;

  constructor(private readonly options: FindingNoticesOptions) {}

  /** The findings are these now. */
  update(findings: readonly PlacedFinding[]): void {
    const keys = findings
      .filter(({ finding }) => severityOf(finding) === 'severe')
      .map(({ workspace, finding }) => `${workspace}\n${finding.path}`);
    const news = keys.filter((key) => !this.told.has(key));
    if (news.length === 0 || this.told.size >= mostTold) return;
    news.forEach((key) => this.told.add(key));
    if (this.isOpen || this.options.isLookedAt()) return;
    this.isOpen = true;
    void this.options.notify().finally(() => {
      this.isOpen = false;
    });
  }
}
