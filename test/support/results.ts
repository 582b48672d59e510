import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { parseAs } from '../../src/sandbox/parseAs';
import { integer, record } from '../../src/sandbox/schemas';

/** What a mocha run leaves in the file that SANDBOXED_AGENT_TEST_RESULTS names. */
export type TestResults = v.InferOutput<typeof testResults>;

/** A test or a hook that failed, or what else makes a run's numbers unreliable. */
export type Failure = v.InferOutput<typeof failure>;

const failure = v.object({
  /** of a test: its full title */
  title: v.string(),
  /** what the error says */
  problem: v.string(),
  /** the test's compiled file; undefined when it is no test that failed */
  file: v.optional(v.string()),
});

const testResults = v.object({
  passed: integer,
  failed: integer,
  failures: v.pipe(v.array(failure), v.readonly()),
  /** how many tests passed, by compiled file */
  passedByFile: v.pipe(record(v.string(), integer), v.readonly()),
});

/** What a run leaves that found no test. */
export const noResults: TestResults = { passed: 0, failed: 0, failures: [], passedByFile: {} };

/** The results that a run left, or undefined when it ended before it could leave any. */
export function readResults(path: string): TestResults | undefined {
  try {
    return parseAs(testResults, JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
