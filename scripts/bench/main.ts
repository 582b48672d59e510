// `npm run bench`: compiles, measures what is asked for, and shows it; no test, since it depends on the computer.
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { resolve } from 'node:path';
import type { Figure } from '../../test/bench/bench';
import { benches } from '../../test/bench/benches';
import { step } from '../setup/progress';
import { compile } from '../test/compile';
import { readArguments } from './arguments';
import { table } from './table';

async function main(signal: AbortSignal): Promise<void> {
  const { names, json } = readArguments(process.argv.slice(2), Object.keys(benches));
  await step('Compiling', () => compile(signal));
  const computer = { processors: availableParallelism(), load: loadavg()[0], node: process.version };
  console.log(
    `${computer.processors} processors, load ${computer.load?.toFixed(1)}, Node.js ${computer.node}`,
  );
  const results: Record<string, unknown> = { computer };
  for (const name of names) {
    console.log(`\n=== ${name}`);
    const figures: Figure[] = [];
    for await (const figure of benches[name]?.run(signal) ?? []) {
      console.log(table([figure]));
      figures.push(figure);
    }
    results[name] = figures;
  }
  if (json !== undefined) {
    writeFileSync(json, `${JSON.stringify(results, undefined, 2)}\n`);
    console.log(`\nwritten: ${resolve(json)}`);
  }
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));
}
main(stop.signal).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
