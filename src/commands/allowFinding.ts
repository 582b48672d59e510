import { message } from '../sandbox/message';
import { findingsOf } from '../ui/findings/findingsView';
import type { Services } from './services';

/** Takes the findings of the selected rows as known: they are found again when they change. */
export async function allowFinding({ guard, say }: Services, row: unknown, selected: unknown): Promise<void> {
  const answers = [];
  for (const placed of findingsOf(row, selected)) {
    answers.push(await guard.guardOf(placed)?.allow(placed.finding.path, placed.finding.mark));
  }
  if (answers.includes(false)) {
    await say.information(
      message('Something was changed again since it was found, so it was not allowed. Look at it again.'),
    );
  }
}
