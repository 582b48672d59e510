/**
 * Prepares a sandbox as a window does, on the host where this runs: `node prepareMain.js REQUEST`, a PrepareRequest as
 * JSON. Writes one line of JSON: the refusal, or nothing where there is none.
 */
import { prepareSandbox } from '../../../src/launch/prepare';
import type { PrepareRequest } from '../../../src/launch/prepareRequest';
import { formatMessage } from '../../../src/sandbox/message';
import { UserError } from '../../../src/sandbox/userError';

export interface Refusal {
  readonly code?: string;
  readonly text?: string;
}

prepareSandbox(JSON.parse(process.argv[2] ?? '') as PrepareRequest)
  .then((): Refusal => ({}))
  .catch((error: unknown): Refusal => {
    if (!(error instanceof UserError)) throw error;
    return { code: error.code, text: formatMessage(error.description) };
  })
  .then((refusal) => console.log(JSON.stringify(refusal)))
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
