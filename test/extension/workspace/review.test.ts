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
  /** what a window makes when it is opened */
  let open: () => Review;
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
    open = () =>
      new Review({
        view,
        files,
        say,
        memory,
        script: projectFile('dist/snapshots.js'),
        mostListed: 2,
      });
    review = open();
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

  it('goes on when the window was reloaded, as soon as somebody looks', async () => {
    await review.keep(review.changes);
    const before = shown;
    shown = { paths: [], unlisted: 0 };
    const later = open();
    const found: string[] = [];
    await later.resume(({ workspace, id }) => {
      found.push(workspace);
      return { workspace, store: world.store, id };
    });
    assert.deepEqual(found, [world.workspace]);
    assert.deepEqual(shown.paths, [], 'nothing was compared');
    await later.refresh();
    assert.deepEqual(shown, before);
  });

  it('says after a reload how many changes there are before it reverts them, though nobody has looked', async () => {
    const later = open();
    await later.resume(({ workspace, id }) => ({ workspace, store: world.store, id }));
    await revertAllChanges({ reviews: { review: later }, say } as Parameters<typeof revertAllChanges>[0]);
    assert.match(questions.join(), /^Bring 5 changed files back/);
  });

  it('does not go on when what it compares with is not kept any more', async () => {
    const later = open();
    await later.resume(() => undefined);
    assert.equal(later.workspace, undefined);
    await later.ready();
    assert.equal(later.count, 0);
  });
});
