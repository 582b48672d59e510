import { findingTexts } from '../ui/findings/findingTexts';
import { findingsOf } from '../ui/findings/findingsView';
import { translate } from '../ui/translate';
import type { Services } from './services';

/** Shows what was there before a finding, and what is there now. */
export async function showFindingDiff({ guard }: Services, row: unknown): Promise<void> {
  const [placed] = findingsOf(row, undefined);
  const owner = placed && guard.guardOf(placed);
  if (owner) {
    await guard.documents.compare(await findingTexts(owner, placed.finding, translate));
  }
}
