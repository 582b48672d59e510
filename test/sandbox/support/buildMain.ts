/** Builds an image as a window does, in a process of its own: `node buildMain.js REQUEST`, a BuildRequest as JSON. */
import { buildImage, type BuildRequest } from '../../../src/apptainer/build';
import { UserError } from '../../../src/sandbox/userError';

/** What came of it; without a code it worked. */
export interface BuildStep {
  readonly isOver: true;
  readonly code?: string;
  readonly cause?: string;
}

const tell = (step: BuildStep): void => console.log(JSON.stringify(step));

buildImage(JSON.parse(process.argv[2] ?? '') as BuildRequest)
  .then(() => tell({ isOver: true }))
  .catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    tell({ isOver: true, code: error.code, cause: String(error.cause) });
  })
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
