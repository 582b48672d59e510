import * as v from 'valibot';
import type { Message } from '../sandbox/message';
import { sessionSandbox } from '../sandbox/sessionPlan';

/** What a script's keeper is told first, as one line of JSON. */
export const scriptInput = v.object({
  sandbox: sessionSandbox,
  /** file name of the bundled script, beside the keeper's own */
  script: v.string(),
});
export type ScriptInput = v.InferOutput<typeof scriptInput>;

/** The keeper's exit status when the image had nothing to run the script with: as `env` has it (POSIX). */
export const notFoundStatus = 127;

/** The one line that the keeper writes itself. */
export type ScriptReadyLine =
  { readonly ready: true } | { readonly ready: false; readonly code: string; readonly explanation: Message };
