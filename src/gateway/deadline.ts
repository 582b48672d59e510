import { Refusal } from './refusal';

/**
 * Waits for work until a time is up or a signal aborts, whichever comes first.
 * @param work gets a signal that aborts in both cases; has to release what it got when it comes too late
 * @throws Refusal `timedOut`, the signal's reason, or what the work throws
 */
export async function withDeadline<Result>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new Refusal('timedOut')), milliseconds);
  signal.addEventListener('abort', onAbort);
  try {
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error));
    });
    return await Promise.race([work(controller.signal), aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
