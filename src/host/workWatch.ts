/** So many times longer than its work something may take where others want the processor too. */
const patience = 10;

/**
 * Watches how long something takes that must not hold up the rest of this process. Time counts only while this process
 * works: on a busy machine it waits a lot, and would get nothing done.
 *
 * @param milliseconds of work that are allowed
 * @returns whether they are used up
 */
export function workWatch(milliseconds: number): () => boolean {
  const begun = process.cpuUsage();
  const deadline = performance.now() + milliseconds * patience;
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000 > milliseconds || performance.now() > deadline;
  };
}
