/** One line about what set-up does, on standard error: standard output belongs to results. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Says what begins, does it, says how long it took. Errors pass through. */
export async function step<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
  say(`· ${title} …`);
  const start = performance.now();
  const result = await work();
  say(`  done in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}
