import { setTimeout as delay } from 'node:timers/promises';

/** A supervisor that has been running answers in milliseconds; one that is stopped or not ours never does. */
export const usualPatienceMilliseconds = 5000;

/** The answer to a request, if it comes in time; what comes later is nobody's concern. @throws Error when it does not */
export async function inTime<Answer>(request: Promise<Answer>, milliseconds: number): Promise<Answer> {
  const patience = new AbortController();
  const late = delay(milliseconds, undefined, { signal: patience.signal }).then(() => {
    throw new Error('no answer in time');
  });
  try {
    return await Promise.race([request, late]);
  } finally {
    late.catch(() => undefined);
    patience.abort();
  }
}
