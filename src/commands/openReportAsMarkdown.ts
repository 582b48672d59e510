import type { Services } from './services';

/** Opens the isolation report of this moment as a Markdown document. */
export async function openReportAsMarkdown({ report, registry }: Services): Promise<void> {
  await report.openAsMarkdown();
  registry.acknowledgeEnds();
}
