import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProtectedPaths } from '../../../src/guard/findProtected';
import { defaultProtectedPaths, readProtectedPatterns } from '../../../src/sandbox/protectedPaths';
import { GuardUnderTest } from '../../support/guardUnderTest';
import { type Bench, type Figure, median } from '../bench';

const reactions = 9;
const idleMilliseconds = 10_000;
const filesInFolder = 20;
const floodFiles = 200_000;

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
    while (!world.finding(path)) await new Promise((later) => setTimeout(later, 5));
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
        world.guard.dispose();
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};
