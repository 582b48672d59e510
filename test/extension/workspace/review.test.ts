import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { revertAllChanges } from '../../../src/commands/reviewChanges';
import { formatMessage } from '../../../src/sandbox/message';
import { Review } from '../../../src/ui/review/review';
import type { Say } from '../../../src/ui/say';
import { SnapshotFiles } from '../../../src/ui/review/snapshotFiles';
import { projectFile } from '../../support/projectFile';
import { SnapshotWorld } from '../../support/snapshots';

describe('Review Changes with more changes than are listed', () => {
  const names = ['!1', '!2', '!3', 'real1', 'real2'];
  let folder: string;
  let world: SnapshotWorld;
  let files: SnapshotFiles;
  let review: Review;
  let shown: { paths: string[]; unlisted: number };
  let questions: string[];

  const say = {
    confirm: (text: Parameters<Say['confirm']>[0]) => {
      questions.push(formatMessage(text));
      return Promise.resolve(true);
    },
  } as Pick<Say, 'confirm'> as Say;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'review-'));
    world = new SnapshotWorld(folder);
    // the extension that runs here has one, too
    files = new SnapshotFiles('test-of-review');
    questions = [];
    const values = new Map<string, unknown>();
    const memory: vscode.Memento = {
      keys: () => [...values.keys()],
      get: <T>(key: string, fallback?: T) => (values.get(key) ?? fallback) as T,
      update: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
    };
    const view = {
      show: (changes: Review['changes'], unlisted: number) => {
        shown = { paths: changes.map(({ path }) => path), unlisted };
      },
      reveal: () => Promise.resolve(),
    };
    review = new Review({
      view,
      files,
      say,
      memory,
      script: projectFile('dist/snapshots.js'),
      mostListed: 2,
    });
    const { id } = world.take();
    for (const name of names) writeFileSync(world.path(name), name);
    await review.open({ workspace: world.workspace, store: world.store, id });
  });

  afterEach(() => {
    files.dispose();
    rmSync(folder, { recursive: true });
  });

  it('lists the next ones when those that are listed are kept', async () => {
    assert.deepEqual(shown, { paths: ['!1', '!2'], unlisted: 3 });
    await review.keep(review.changes);
    assert.deepEqual(shown, { paths: ['!3', 'real1'], unlisted: 1 });
    await review.refresh();
    assert.deepEqual(shown, { paths: ['!3', 'real1'], unlisted: 1 });
    await review.keep(review.changes);
    assert.deepEqual(shown, { paths: ['real2'], unlisted: 0 });
  });

  it('reverts all after a question that says how many, but what is kept, and undoes it', async () => {
    await review.keep(review.changes);
    await revertAllChanges({ reviews: { review }, say } as Parameters<typeof revertAllChanges>[0]);
    assert.match(questions.join(), /^Bring 3 changed files back/);
    const present = (): string[] => names.filter((name) => existsSync(world.path(name)));
    assert.deepEqual(present(), ['!1', '!2']);
    assert.deepEqual(shown, { paths: [], unlisted: 0 });
    await review.undoRevert();
    assert.deepEqual(present(), names);
    assert.deepEqual(shown, { paths: ['!3', 'real1'], unlisted: 1 });
  });
});
