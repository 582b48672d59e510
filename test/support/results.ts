import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** What a mocha run leaves in the file that SANDBOXED_AGENT_TEST_RESULTS names. */
export type TestResults = z.infer<typeof testResults>;

/** A test or a hook that failed, or what else makes a run's numbers unreliable. */
export type Failure = z.infer<typeof failure>;

const failure = z.object({
  /** of a test: its full title */
  title: z.string(),
  /** what the error says */
  problem: z.string(),
  /** the test's compiled file; undefined when it is no test that failed */
  file: z.string().optional(),
});

const testResults = z.object({
  passed: z.number().int(),
  failed: z.number().int(),
  failures: z.array(failure).readonly(),
  /** how many tests passed, by compiled file */
  passedByFile: z.record(z.string(), z.number().int()).readonly(),
});

/** What a run leaves that found no test. */
export const noResults: TestResults = { passed: 0, failed: 0, failures: [], passedByFile: {} };

/** The results that a run left, or undefined when it ended before it could leave any. */
export function readResults(path: string): TestResults | undefined {
  try {
    return testResults.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
