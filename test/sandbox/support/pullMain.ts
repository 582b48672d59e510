/**
 * Pulls an image as a window does, in a process that can be killed: `node pullMain.js REQUEST`, a PullRequest as JSON.
 * Writes a line of JSON for each step: how far it is, and at the end whether it worked.
 */
import { pullImage } from '../../../src/apptainer/pull';
import type { PullRequest } from '../../../src/apptainer/pullRequest';
import { UserError } from '../../../src/sandbox/userError';

export type PullStep =
  | { readonly percent: number }
  /** without a code it worked */
  | { readonly isOver: true; readonly code?: string; readonly cause?: string };

const tell = (step: PullStep): void => console.log(JSON.stringify(step));

pullImage({
  ...(JSON.parse(process.argv[2] ?? '') as PullRequest),
  onProgress: ({ percent }) => tell({ percent }),
})
  .then(() => tell({ isOver: true }))
  .catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    tell({ isOver: true, code: error.code, cause: String(error.cause) });
  })
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
