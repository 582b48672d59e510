import * as v from 'valibot';
import { sandboxSecrets } from '../sandbox/networkAccess';
import { sandboxSpecification } from '../sandbox/specification';

/** What a supervisor reads from its standard input, one JSON document. */
export const supervisorInput = v.object({ specification: sandboxSpecification, secrets: sandboxSecrets });
export type SupervisorInput = v.InferOutput<typeof supervisorInput>;
