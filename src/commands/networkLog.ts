import type { Services } from './services';

/** Shows what the sandboxes of this window tried to reach. */
export async function networkLog({ network }: Services): Promise<void> {
  await network.view.focus();
}
