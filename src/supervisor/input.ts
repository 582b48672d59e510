import * as z from 'zod';
import { sandboxSecrets } from '../sandbox/networkAccess';
import { sandboxSpecification } from '../sandbox/specification';

/** What a supervisor reads from its standard input, one JSON document. */
export const supervisorInput = z.object({ specification: sandboxSpecification, secrets: sandboxSecrets });
export type SupervisorInput = z.infer<typeof supervisorInput>;
