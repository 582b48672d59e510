/** nobody notices a pause of this length */
const workMilliseconds = 8;

/** Lets others work, which share this thread. @returns when the next one is due, as performance.now() has it */
export async function takeBreak(signal?: AbortSignal): Promise<number> {
  await new Promise((resume) => setImmediate(resume));
  signal?.throwIfAborted();
  return performance.now() + workMilliseconds;
}
