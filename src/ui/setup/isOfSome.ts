/**
 * Whether something is true of one of several at least, looked at one after another until then. What can't be looked at
 * keeps nobody from the others.
 * @param onError is told what went wrong with one
 */
export async function isOfSome<Item>(
  items: readonly Item[],
  isTrue: (item: Item) => Promise<boolean>,
  onError: (error: unknown) => void,
): Promise<boolean> {
  for (const item of items) {
    try {
      if (await isTrue(item)) return true;
    } catch (error) {
      onError(error);
    }
  }
  return false;
}
