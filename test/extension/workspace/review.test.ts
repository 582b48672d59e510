import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { revertAllChanges } from '../../../src/commands/reviewChanges';
import { commandIds } from '../../../src/contributions';
import { withClaim } from '../../../src/host/claim';
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
  let open: (mostListed?: number) => Review;
  /** the snapshot that was taken first */
  let id: string;
  const point = () => ({ workspace: world.workspace, store: world.store, id });
  let shown: { paths: string[]; unlisted: number };
  let questions: string[];
  let told: string[];
  /** what happens while a question is asked */
  let whileAsked: (() => Promise<void> | void) | undefined;

  const say = {
    confirm: async (text: Parameters<Say['confirm']>[0]) => {
      questions.push(formatMessage(text));
      await whileAsked?.();
      return true;
    },
    information: (...[text, action]: Parameters<Say['information']>) => {
      told.push(`${formatMessage(text)} ${action?.kind === 'runCommand' ? action.command : ''}`);
      return Promise.resolve();
    },
  } as Pick<Say, 'confirm' | 'information'> as Say;
  const folders = (): ReadonlySet<string> => new Set([world.workspace]);
  const present = (): string[] => names.filter((name) => existsSync(world.path(name)));
  const revertAll = (of = review): Promise<void> =>
    revertAllChanges({ reviews: { review: of }, say } as Parameters<typeof revertAllChanges>[0]);

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'review-'));
    world = new SnapshotWorld(folder);
    // the extension that runs here has one, too
    files = new SnapshotFiles('test-of-review');
    questions = [];
    told = [];
    whileAsked = undefined;
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
    open = (mostListed = 2) =>
      new Review({ view, files, say, memory, script: projectFile('dist/snapshots.js'), mostListed });
    review = open();
    ({ id } = world.take());
    for (const name of names) writeFileSync(world.path(name), name);
    await review.open(point());
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
    await revertAll();
    assert.match(questions.join(), /^Bring 3 changed files back/);
    assert.deepEqual(present(), ['!1', '!2']);
    assert.deepEqual(shown, { paths: [], unlisted: 0 });
    // with a button that takes it back
    assert.deepEqual(told, [`Files and folders that are again what they were: 3. ${commandIds.undoRevert}`]);
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
    await later.resume(folders(), ({ workspace, id }) => {
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
    await later.resume(folders(), ({ workspace, id }) => ({ workspace, store: world.store, id }));
    await revertAll(later);
    assert.match(questions.join(), /^Bring 5 changed files back/);
  });

  it('does not go on when what it compares with is not kept any more', async () => {
    const later = open();
    await later.resume(folders(), () => undefined);
    assert.equal(later.workspace, undefined);
    await later.ready();
    assert.equal(later.count, 0);
  });
  it('reverts exactly what was asked about, whatever has changed meanwhile', async () => {
    review = open(10);
    await review.open(point());
    whileAsked = async () => {
      writeFileSync(world.path('later'), 'later');
      await review.refresh();
    };
    await revertAll();
    assert.match(questions.join('|'), /^Bring 5 changed files back[^|]*$/);
    assert.deepEqual([present(), shown.paths], [[], ['later']]);
  });

  it('asks again when more has changed meanwhile, and not all of it is listed', async () => {
    whileAsked = () => {
      whileAsked = () => assert.deepEqual(present(), names, 'nothing was reverted');
      writeFileSync(world.path('later'), 'later');
    };
    await revertAll();
    assert.deepEqual([questions.length, present()], [2, []]);
    assert.match(
      questions[1] ?? '',
      /^Files have changed meanwhile, so none was reverted. Bring the 6 that are changed now/,
    );
    assert.equal(existsSync(world.path('later')), false);
  });

  it('asks again when what is kept has changed once more meanwhile, though there are as many changes', async () => {
    await review.keep(review.changes);
    assert.deepEqual(shown, { paths: ['!3', 'real1'], unlisted: 1 });
    const ofAgent = (): void => {
      writeFileSync(world.path('!1'), 'once more');
      rmSync(world.path('real2'));
    };
    whileAsked = () => {
      whileAsked = () => {
        assert.deepEqual(present(), ['!1', '!2', '!3', 'real1'], 'nothing was reverted');
        assert.deepEqual(shown, { paths: ['!1', '!3'], unlisted: 1 });
      };
      ofAgent();
    };
    await revertAll();
    assert.match(questions[0] ?? '', /^Bring 3 changed files back/);
    assert.match(
      questions[1] ?? '',
      /^Files have changed meanwhile.* the 3 that are .*were kept and have changed/,
    );
    assert.deepEqual([questions.length, present()], [2, ['!2']]);
  });

  it('asks once more, and not for ever, when only what is not listed has changed meanwhile', async () => {
    whileAsked = () => {
      whileAsked = undefined;
      writeFileSync(world.path('real2'), 'once more');
    };
    await revertAll();
    assert.deepEqual([questions.length, present()], [2, []]);
  });

  it('reverts what was asked about also when another review was opened meanwhile', async () => {
    review = open(10);
    await review.open(point());
    const { id: second } = world.take();
    writeFileSync(world.path('later'), 'later');
    whileAsked = () => review.open({ ...point(), id: second });
    await revertAll();
    assert.deepEqual([present(), existsSync(world.path('later'))], [[], true]);
  });

  it('stays with the review that was opened last, though something was kept in the one before', async () => {
    mkdirSync(join(folder, 'other'));
    const other = new SnapshotWorld(join(folder, 'other'));
    const otherPoint = { workspace: other.workspace, store: other.store, id: other.take().id };
    writeFileSync(other.path('elsewhere'), 'elsewhere');
    const patience = { milliseconds: 0, tooLate: () => new Error('somebody has it') };
    let kept: Promise<void> | undefined;
    // what is kept is compared with again, which takes longer than the other review
    await withClaim(join(world.store, 'lock'), patience, async () => {
      kept = review.keep(review.changes);
      await review.open(otherPoint);
    });
    await kept;
    assert.deepEqual([shown.paths, review.workspace], [['elsewhere'], other.workspace]);
    const later = open();
    await later.resume(new Set([other.workspace]), () => otherPoint);
    assert.equal(later.workspace, other.workspace, 'it is remembered');
  });

  it('ends when nothing is left to be reviewed, but what was reverted last can be undone in this window', async () => {
    review = open(10);
    await review.open(point());
    await revertAll();
    const isResumed = async (): Promise<boolean> => {
      const later = open();
      await later.resume(folders(), point);
      return later.workspace !== undefined;
    };
    assert.equal(await isResumed(), false, 'all was reverted');
    await review.undoRevert();
    assert.deepEqual(present(), names);
    assert.equal(await isResumed(), true, 'that is undone');
    await review.keep(review.changes);
    assert.equal(await isResumed(), false, 'all is kept');
    writeFileSync(world.path('later'), 'later');
    await review.refresh();
    assert.equal(await isResumed(), true, 'there is a change again');
  });

  it('does not go on with the review of a folder that is not in the window any more', async () => {
    const later = open();
    await later.resume(new Set(['/elsewhere']), point);
    assert.equal(later.workspace, undefined);
  });
});
