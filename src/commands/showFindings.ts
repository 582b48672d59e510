import type { Services } from './services';

/** Brings the view *Findings* to the front. */
export async function showFindings({ guard }: Services): Promise<void> {
  await guard.view.focus();
}
