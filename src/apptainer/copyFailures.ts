import { join } from 'node:path';
import * as v from 'valibot';
import { finite } from '../sandbox/schemas';
import { readJson, writeWhole } from '../host/ownFiles';

/** What an image is like of which no copy can be made; it will be no other when a window tries again. */
export const lastingFailures = ['noProgram', 'doesNotRun'] as const;
export type LastingFailure = (typeof lastingFailures)[number];

const failure = v.object({
  outcome: v.picklist(lastingFailures),
  /** milliseconds since the epoch */
  at: finite,
});
const maximumBytes = 1000;

/** A computer that was too busy to run the copy can have been the reason, too. */
const rememberedMilliseconds = 7 * 24 * 60 * 60 * 1000;

/** Where a failure is noted. @param folder of copies, which is ours alone */
export function failurePath(folder: string, imageSha256: string): string {
  return join(folder, `${imageSha256}.failed`);
}

/** Why no copy of an image's opencode could be made within the last week; undefined when nobody tried, or one was. */
export async function failedLately(folder: string, imageSha256: string): Promise<LastingFailure | undefined> {
  const noted = await readJson(failurePath(folder, imageSha256), failure, maximumBytes);
  return noted && Math.abs(Date.now() - noted.at) < rememberedMilliseconds ? noted.outcome : undefined;
}

/** Notes it for all windows. @param at milliseconds since the epoch */
export async function noteFailure(
  folder: string,
  imageSha256: string,
  outcome: LastingFailure,
  at = Date.now(),
): Promise<void> {
  await writeWhole(failurePath(folder, imageSha256), JSON.stringify({ outcome, at }));
}
