import { isRunning, readProc, readProcLink } from '../../src/host/procfs';
import { type KnownProcess, ownProcesses, stillRunning } from '../../test/support/processes';
import { waitUntil } from '../../test/support/waitUntil';

/** For the last processes of a stage to end; each promise about "gone" has a stricter test of its own. */
const graceMilliseconds = 2000;

/**
 * Processes that tests have left: younger than `before`, and tied to the tests by one of `marks` in their command
 * line, environment, program or working directory. Waits a little for the last ones to end.
 *
 * @param before what ran when the tests began
 * @param marks paths that only processes of the tests know
 */
export async function findLeftovers(
  before: readonly KnownProcess[],
  marks: readonly string[],
): Promise<KnownProcess[]> {
  const known = new Set(before.map(identity));
  const find = () =>
    stillRunning(ownProcesses()).filter(
      (process) => !known.has(identity(process)) && isMarked(process.pid, marks),
    );
  await waitUntil('all ended', () => find().length === 0, graceMilliseconds).catch(() => undefined);
  return find();
}

/**
 * What `npm run try` runs has the same traces as what tests leave: it would be killed as that.
 *
 * @param before what runs when the tests begin
 * @param tryProgram path of the program behind `npm run try`
 * @throws Error while it runs from this clone
 */
export function requireNoTry(before: readonly KnownProcess[], tryProgram: string): void {
  if (before.some(({ commandLine }) => commandLine.includes(tryProgram))) {
    throw new Error(
      '`npm run try` is open in this clone. End it first (Ctrl+C), or use a second clone: the tests end what they find of theirs, and could not tell the two apart.',
    );
  }
}

/** Ends leftovers by their pids. */
export function kill(leftovers: readonly KnownProcess[]): void {
  for (const { pid, startTime } of leftovers) {
    if (isRunning(pid, startTime)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it ended between the two lines
      }
    }
  }
}

function identity({ pid, startTime }: KnownProcess): string {
  return `${pid} ${startTime}`;
}

function isMarked(pid: number, marks: readonly string[]): boolean {
  const traces = [
    readProc(`${pid}/cmdline`),
    readProc(`${pid}/environ`),
    readProcLink(`${pid}/exe`),
    readProcLink(`${pid}/cwd`),
  ];
  return pid !== process.pid && traces.some((trace) => marks.some((mark) => trace?.includes(mark)));
}
