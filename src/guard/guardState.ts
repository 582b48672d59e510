import { z } from 'zod';
import { finding } from './finding';
import { mark } from './mark';

/** What is known of one workspace between two looks at it. */
export const guardState = z.object({
  workspace: z.string(),
  /** what the user knows, by the path below the workspace */
  marks: z.record(z.string(), mark),
  findings: z.array(finding),
  /** how many more there were than could be kept */
  unkept: z.number().int().nonnegative().default(0),
  /** a sandbox ran when this was written: what it did since was not seen */
  isUnsettled: z.boolean(),
  /** the file system makes every file executable: that says nothing there */
  ignoresExecutables: z.boolean(),
});
/** See `guardState`. */
export type GuardState = z.infer<typeof guardState>;
