import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { findProtectedPaths } from '../../../src/guard/findProtected';
import { defaultProtectedPaths, readProtectedPatterns } from '../../../src/sandbox/protectedPaths';
import { GuardUnderTest } from '../../support/guardUnderTest';
import { type Bench, type Figure, median } from '../bench';

const reactions = 9;
const idleMilliseconds = 10_000;
const filesInFolder = 20;
const floodFiles = 200_000;
/** 19,000 folders at once, as when a program unpacks something large */
const floodFolders = { groups: 19, inEach: 1000 };
/** in a folder of its own each, in a repository that was made to be slow */
const guardedFiles = 100_000;

/** A project of so many files, one of twenty of them guarded. */
function fill(workspace: string, files: number): void {
  for (let folder = 0; folder < files / filesInFolder; folder += 1) {
    const path = join(workspace, `part${folder % 50}`, `folder${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < filesInFolder; file += 1) {
      writeFileSync(join(path, file === 0 ? 'Makefile' : `data${file}.txt`), `${folder} ${file}\n`);
    }
  }
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

/** What the start of a sandbox waits for: what must be read-only, and what is there. */
async function start(world: GuardUnderTest): Promise<Record<string, number>> {
  const patterns = readProtectedPatterns(defaultProtectedPaths);
  const request = { workspace: world.workspace, patterns, protectsGit: true, skipped: [] };
  const protectedPaths = await milliseconds(() => findProtectedPaths(request));
  await world.open();
  return { protectedPaths, known: await milliseconds(() => world.guard.begin()) };
}

async function reaction(world: GuardUnderTest, number: number): Promise<number> {
  return milliseconds(async () => {
    const path = `part${number}/.envrc`;
    writeFileSync(world.at(path), 'x');
    await isFound(world, path);
  });
}

/** Makes so many files in one folder, in a process of its own, as an agent does. @returns when they are there */
async function flood(world: GuardUnderTest, files: number): Promise<void> {
  const script = `const fs = require('fs');
    for (let n = 0; n < ${files}; n += 1) fs.closeSync(fs.openSync(process.argv[1] + '/' + n, 'w'));`;
  mkdirSync(world.at('crowd'));
  const child = spawn(process.execPath, ['-e', script, world.at('crowd')], { stdio: 'inherit' });
  await once(child, 'exit');
}

/** Makes folders, in a process of its own; one of the last has editor settings. @returns until these are found */
async function folderFlood(world: GuardUnderTest): Promise<number> {
  const { groups, inEach } = floodFolders;
  const script = `const fs = require('fs'), top = process.argv[1];
    for (let a = 0; a < ${groups}; a += 1) for (let b = 0; b < ${inEach}; b += 1)
      fs.mkdirSync(top + '/new' + a + '/sub' + b, { recursive: true });
    fs.mkdirSync(top + '/new${groups - 1}/sub${inEach / 2}/.vscode');
    fs.writeFileSync(top + '/new${groups - 1}/sub${inEach / 2}/.vscode/tasks.json', '1');`;
  const child = spawn(process.execPath, ['-e', script, world.workspace], { stdio: 'inherit' });
  const path = `new${groups - 1}/sub${inEach / 2}/.vscode/tasks.json`;
  await once(child, 'exit');
  return milliseconds(() => isFound(world, path));
}

async function isFound(world: GuardUnderTest, path: string): Promise<void> {
  while (!world.finding(path)) await new Promise((later) => setTimeout(later, 5));
}

/** A start in a repository that was made to be slow: how long it takes, and for how long nothing else gets its turn. */
async function* hostileStart(folder: string): AsyncGenerator<Figure> {
  const world = new GuardUnderTest(join(folder, 'hostile'), join(folder, 'storage'));
  for (let number = 0; number < guardedFiles; number += 1) {
    world.put(`group${number % 100}/package${number}/package.json`, '{"scripts":{"install":"x"}}');
  }
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const known = await start(world);
  await world.open();
  const again = await milliseconds(() => world.guard.restore());
  delay.disable();
  world.guard.dispose();
  const name = `a start in ${guardedFiles} guarded files`;
  yield { name, unit: 'ms', values: { ...known, again }, goal: 'none', isMet: true };
  const longest = delay.max / 1e6;
  const isMet = longest < 200;
  yield { name: `${name}, nothing else`, unit: 'ms', values: { longest }, goal: 'below 200', isMet };
}

async function idleShare(): Promise<number> {
  const before = process.cpuUsage();
  await new Promise((later) => setTimeout(later, idleMilliseconds));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 10 / idleMilliseconds;
}

/** Watches workspaces of two sizes as a window does. */
export const guardBench: Bench = {
  async *run(): AsyncGenerator<Figure> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'guard-bench-')));
    try {
      for (const [files, most] of [
        [2000, 300],
        [50_000, 6000],
      ] as const) {
        const world = new GuardUnderTest(join(folder, `w${files}`), join(folder, 'storage'));
        fill(world.workspace, files);
        const values = await start(world);
        const [protectedPaths = NaN, known = NaN] = Object.values(values);
        const isMet = Math.max(protectedPaths, known) < most;
        const goal = `each below ${most}`;
        yield { name: `a start in ${files} files, in the guard`, unit: 'ms', values, goal, isMet };
        const times: number[] = [];
        for (let round = 0; round < reactions; round += 1) times.push(await reaction(world, round));
        const [usual, worst] = [median(times), Math.max(...times)];
        yield {
          ...{ name: `until something is found in ${files} files`, unit: 'ms', values: { usual, worst } },
          ...{ goal: 'at worst 2000', isMet: worst < 2000 },
        };
        const share = await idleShare();
        yield {
          ...{ name: `processor time while nothing happens in ${files} files`, unit: '%', values: { share } },
          ...{ goal: 'below 0.5', isMet: share < 0.5 },
        };
        const flooded = flood(world, floodFiles);
        const during = await reaction(world, reactions);
        await flooded;
        const after = await reaction(world, reactions + 1);
        yield {
          ...{ name: `until something is found beside ${floodFiles} new files in one folder`, unit: 'ms' },
          ...{ values: { during, after }, goal: 'each at worst 2000', isMet: Math.max(during, after) < 2000 },
        };
        const among = await folderFlood(world);
        yield {
          ...{ name: `until something is found among 19000 new folders, beside ${files} files`, unit: 'ms' },
          ...{ values: { among }, goal: 'at worst 2000', isMet: among < 2000 },
        };
        world.guard.dispose();
      }
      yield* hostileStart(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};
