import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removeTree } from '../../../src/host/removeTree';
import { startSnapshotWork } from '../../../src/host/snapshot/snapshotThread';
import { storeOf } from '../../../src/host/snapshot/store';
import type { SnapshotSummary } from '../../../src/snapshot/manifest';
import { usualLimits } from '../../support/snapshots';
import { ScreenReader } from '../../support/screenReader';
import { waitUntil } from '../../support/waitUntil';
import { specify, startSandbox, TestFolders } from '../../sandbox/support/sandboxUnderTest';
import { alternate, type Bench, type Figure, median } from '../bench';
import { getTestParts } from '../parts';

const script = resolve(__dirname, '../../../../dist/snapshots.js');

const manyFiles = 50_000;
/** 2 GB in all */
const fileBytes = 40_000;
const fewFiles = 2000;

/** Files that were changed a moment ago are read once more. */
const settlingMilliseconds = 3000;

/** Takes snapshots of a large workspace, and starts sandboxes with and without one. */
export const snapshotBench: Bench = {
  async *run(): AsyncGenerator<Figure> {
    await getTestParts();
    const folders = new TestFolders();
    try {
      yield* large(folders);
    } finally {
      await removeTree(folders.root);
    }
    const small = new TestFolders();
    try {
      yield await promptDelay(small);
    } finally {
      await removeTree(small.root);
    }
  },
};

async function* large(folders: TestFolders): AsyncGenerator<Figure> {
  fill(folders.workspace, manyFiles, fileBytes);
  await delay(settlingMilliseconds);
  const name = `${manyFiles} files of 2 GB`;
  const usual = mkdtempSync(join(folders.root, 'usual-'));
  yield figure(`${name}, the first time`, await timed(folders, usual), 6000);
  const again = [await timed(folders, usual), await timed(folders, usual), await timed(folders, usual)];
  yield figure(`${name}, nothing changed`, median(again), 1000);
  const whole = mkdtempSync(join(folders.root, 'whole-'));
  yield figure(`${name}, all of it kept, the first time`, await timed(folders, whole, 2 ** 32));
}

/** Milliseconds until a snapshot is there, its thread started and its claim taken. */
async function timed(
  { workspace }: TestFolders,
  directory: string,
  maximumBytes = usualLimits.maximumBytes,
): Promise<number> {
  const id = randomBytes(8).toString('hex');
  const order = {
    ...{ workspace, store: storeOf(directory, workspace), closed: [], id, time: Date.now() },
    reason: 'start',
    limits: { ...usualLimits, maximumBytes },
  } as const;
  const started = performance.now();
  const work = startSnapshotWork({ type: 'take', order, directory, living: [] }, { script });
  const summary: SnapshotSummary = await work.result;
  const taken = performance.now() - started;
  await work.over;
  if (summary.files !== manyFiles) throw new Error(`${summary.files} files were noted`);
  return taken;
}

/** How much later a shell's prompt is there because what is in the folder is noted first. */
async function promptDelay(folders: TestFolders): Promise<Figure> {
  fill(folders.workspace, fewFiles, fileBytes / 10);
  const values = await alternate(
    () => untilPrompt(folders),
    // each time into a new store, so that everything is read
    () => untilPrompt(folders, mkdtempSync(join(folders.root, 'snapshots-'))),
  );
  const without = median(values.direct);
  const added = median(values.gateway) - without;
  return {
    name: `prompt of a sandbox for ${fewFiles} files`,
    unit: 'ms',
    values: { without, 'with undo': median(values.gateway), added },
    goal: 'at most 300 ms added',
    isMet: added <= 300,
  };
}

async function untilPrompt(folders: TestFolders, directory?: string): Promise<number> {
  const undo = directory && {
    directory,
    maximumBytes: usualLimits.maximumBytes,
    respectsIgnoreFiles: true,
    closed: [],
  };
  const started = performance.now();
  const { connection } = await startSandbox(specify(folders, undo ? { undo } : {}));
  const screen = await ScreenReader.attach(connection);
  await waitUntil(
    'the prompt is there',
    () => /[$>] *$/m.test(screen.text()),
    60_000,
    () => JSON.stringify(connection.status),
  );
  const taken = performance.now() - started;
  await connection.stop();
  await waitUntil('it has ended', () => connection.status.phase === 'ended');
  return taken;
}

function fill(workspace: string, count: number, bytes: number): void {
  const content = randomBytes(bytes);
  for (let number = 0; number < count; number += 1) {
    const folder = join(workspace, `folder${Math.floor(number / 100)}`);
    if (number % 100 === 0) mkdirSync(folder);
    // all of them differ
    content.writeUInt32LE(number, 0);
    writeFileSync(join(folder, `file${number}`), content);
  }
}

function figure(name: string, value: number, most = Infinity): Figure {
  const goal = most === Infinity ? 'none' : `at most ${most} ms`;
  return { name, unit: 'ms', values: { measured: value }, goal, isMet: value <= most };
}
