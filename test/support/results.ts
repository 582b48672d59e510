import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** What a mocha run leaves in the file that SANDBOXED_AGENT_TEST_RESULTS names. */
export type TestResults = z.infer<typeof testResults>;

const testResults = z.object({
  passed: z.number().int(),
  failed: z.number().int(),
  /** full titles of the failed tests and hooks */
  failures: z.array(z.string()).readonly(),
});

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
