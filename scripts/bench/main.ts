// `npm run bench`: compiles, measures what is asked for, and shows it; no test, since it depends on the computer.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import type { Figure } from '../../test/bench/bench';
import { benches } from '../../test/bench/benches';
import { repositoryFolder } from '../setup/paths';
import { step } from '../setup/progress';
import { compile } from '../test/compile';
import { readArguments } from './arguments';
import { movedSince, ratiosOf, type Results } from './compare';
import { describeComputer } from './computer';
import { table } from './table';

/** The last result that was committed. */
const committedPath = join(repositoryFolder, 'test/bench/result.json');

async function main(signal: AbortSignal): Promise<void> {
  const { names, json } = readArguments(process.argv.slice(2), Object.keys(benches));
  await step('Compiling', () => compile(signal));
  const computer = await describeComputer();
  console.log(
    Object.entries(computer)
      .map(([what, value]) => `${what} ${value}`)
      .join(', '),
  );
  const committed = readCommitted();
  const load: Record<string, number | undefined> = {};
  const measured: Record<string, readonly Figure[]> = {};
  for (const name of names) {
    [load[name]] = loadavg();
    console.log(`\n=== ${name} (load ${load[name]?.toFixed(1)})`);
    measured[name] = await measure(name, signal);
    compare(committed?.benches[name], measured[name]);
    const results: Results = { computer, load, benches: measured };
    // after each: what was measured is not lost when a later one fails
    if (json !== undefined) write(json, results);
  }
}

async function measure(name: string, signal: AbortSignal): Promise<Figure[]> {
  const figures: Figure[] = [];
  for await (const figure of benches[name]?.run(signal) ?? []) {
    console.log(table([figure]));
    figures.push(figure);
  }
  return figures;
}

/** Says what moved since the committed result. */
function compare(before: readonly Figure[] | undefined, now: readonly Figure[]): void {
  if (before === undefined) return;
  const moved = movedSince(before, now);
  console.log(
    moved.length === 0 ? 'nothing moved since the committed result' : 'since the committed result:',
  );
  moved.forEach((line) => console.log(`  ${line}`));
}

function readCommitted(): Results | undefined {
  return existsSync(committedPath) ? (JSON.parse(readFileSync(committedPath, 'utf8')) as Results) : undefined;
}

/** Ratios stand at the top, too, by their names. */
function write(json: string, results: Results): void {
  const ratios = ratiosOf(Object.values(results.benches).flat());
  writeFileSync(json, `${JSON.stringify({ ...ratios, ...results }, undefined, 2)}\n`);
  console.log(`written: ${resolve(json)}`);
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));
}
main(stop.signal).then(
  // whatever a bench may have left open
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
