import { pickFilter } from '../ui/network/networkLogPick';
import type { Services } from './services';

/** Lets the user choose what of the log is shown. */
export async function filterNetworkLog({ network }: Services): Promise<void> {
  await network.logs.complete();
  network.view.setFilter(await pickFilter(network.logs.list(), network.view.filter));
  await network.view.focus();
}
