import * as vscode from 'vscode';
import { type Message, message } from '../sandbox/message';
import type { Change } from '../snapshot/diff';
import { Cancelled } from '../sandbox/userError';
import { ChangeNode, changeOf } from '../ui/review/changesView';
import type { AllChanges } from '../ui/review/review';
import { sandboxOf } from '../ui/sandboxes/sandboxesView';
import { chooseFolder, realPathOf } from '../ui/window';
import type { Services } from './services';

/** Shows what has changed in a folder: since a sandbox of the view was started, or since a moment that one chooses. */
export async function reviewChanges({ reviews }: Services, row: unknown): Promise<void> {
  const listed = sandboxOf(row);
  if (listed) {
    await reviews.openRun(listed);
    return;
  }
  const folder = await chooseFolder();
  await reviews.choose(await realPathOf(folder.uri.fsPath));
}

/** Shows one change. */
export async function openChange({ reviews }: Services, row: unknown): Promise<void> {
  const [change] = chosen({ reviews }, row);
  if (change) await reviews.review.openOne(change);
}

/** Takes changes off the list. */
export async function keepChange({ reviews }: Services, row: unknown, selected?: unknown): Promise<void> {
  await reviews.review.keep(chosen({ reviews }, row, selected));
}

/** Brings files back to what they were. */
export async function revertChange({ reviews }: Services, row: unknown, selected?: unknown): Promise<void> {
  await reviews.review.revert(chosen({ reviews }, row, selected));
}

/** Takes all changes that are listed off the list; where there are more, the next ones are listed then. */
export async function keepAllChanges({ reviews }: Services): Promise<void> {
  await reviews.review.ready();
  await reviews.review.keep(reviews.review.changes);
}

/** Brings all files back to what they were: those that the question is about, and no other. */
export async function revertAllChanges({ reviews, say }: Pick<Services, 'reviews' | 'say'>): Promise<void> {
  const { review } = reviews;
  await review.ready();
  for (let isFirst = true; ; isFirst = false) {
    const { all } = review;
    if (!all) {
      void say.information(message('There is nothing to revert.'));
      return;
    }
    const text = isFirst ? revertAllQuestion(all) : otherQuestion(all);
    if (!(await say.confirm(text, vscode.l10n.t('Revert All'))) || (await review.revertAll(all))) return;
  }
}

function revertAllQuestion({ count }: AllChanges): Message {
  return message(
    'Bring {0} changed files back to what they were? Undo Last Revert brings the changes back.',
    count,
  );
}

/** What has changed is not what the one before was about: there can be as many, and one that was kept among them. */
function otherQuestion({ count }: AllChanges): Message {
  return message(
    'Files have changed meanwhile, so none was reverted. Bring the {0} that are changed now back to what they were, also those that were kept and have changed since? Undo Last Revert brings the changes back.',
    count,
  );
}

/** Undoes the last undoing. */
export async function undoRevert({ reviews }: Services): Promise<void> {
  await reviews.review.undoRevert();
}

/** The changes of the rows on which a command was invoked, else those that are selected. */
function chosen({ reviews }: Pick<Services, 'reviews'>, row: unknown, selected?: unknown): readonly Change[] {
  const change = changeOf(row);
  const several = Array.isArray(selected) ? selected.filter((node) => node instanceof ChangeNode) : [];
  if (several.length > 1) return several.map((node) => node.change);
  if (change) return [change];
  if (reviews.view.selected.length === 0) throw new Cancelled('no change was chosen');
  return reviews.view.selected;
}
