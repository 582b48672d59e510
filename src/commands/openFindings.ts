import { findingsText } from '../ui/findings/findingRows';
import { translate } from '../ui/translate';
import type { Services } from './services';

/** Opens all findings as a text. */
export async function openFindings({ guard }: Services): Promise<void> {
  await guard.documents.show(findingsText(guard.findings(), guard.more, translate));
}
