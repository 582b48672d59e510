import type { Services } from './services';

/** Opens the last proof as a Markdown document. */
export async function openProofAsMarkdown({ proof }: Services): Promise<void> {
  await proof.report.openAsMarkdown();
}
