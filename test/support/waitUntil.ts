const pollMilliseconds = 50;

/**
 * Waits until `condition` gives something else than `undefined` or `false`, and returns that.
 *
 * @param what for the error: "…did not happen: {what}"
 * @param state for the error: what there is instead
 * @param pause between two looks, in milliseconds
 * @throws Error when the time is up
 */
export async function waitUntil<Result>(
  what: string,
  condition: () => Result | undefined | false | Promise<Result | undefined | false>,
  milliseconds = 60_000,
  state: () => string = () => '',
  pause = pollMilliseconds,
): Promise<Result> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) {
      return result;
    }
    if (Date.now() > deadline) {
      throw new Error(`after ${milliseconds / 1000} s this had not happened: ${what}\n${state()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
