import { Cancelled } from '../sandbox/userError';
import { askForHost, pickHosts, type HostsAnswer, type HostsOffer } from '../ui/network/allowedHostsPick';
import { deniedOffers } from '../ui/network/deniedOffers';
import { allowForFolder } from '../ui/network/networkLogPick';
import { plainText } from '../ui/plainText';
import { chooseFolder, realPathOf } from '../ui/window';
import type { Services } from './services';

/** Lets the user choose what sandboxes for a folder may reach. Running ones are told at once. */
export async function chooseAllowedHosts({ network, say }: Services): Promise<void> {
  const { name, uri } = await chooseFolder();
  const folder = await realPathOf(uri.fsPath);
  const settingCount = network.allowedHosts.ofSetting().length;
  await network.logs.complete();
  let answer: HostsAnswer;
  do {
    answer = await pickHosts(offerFor(folder, network), plainText(name), settingCount);
    const added = answer.addsHost ? await askForHost() : undefined;
    if (answer.addsHost && added === undefined) {
      continue;
    }
    const entries = [...new Set([...answer.entries, ...(added === undefined ? [] : [added])])];
    await network.allowedHosts.choose(folder, { presets: answer.presets, entries }, answer.once);
    network.view.update();
    // last: each may ask a question, and a no must not undo the rest
    for (const denied of answer.denied) {
      await allowForFolder(denied, network.allowedHosts, say).catch(unlessCancelled);
      network.view.update();
    }
  } while (answer.addsHost);
}

function unlessCancelled(error: unknown): void {
  if (!(error instanceof Cancelled)) throw error;
}

function offerFor(folder: string, { allowedHosts, logs }: Services['network']): HostsOffer {
  return {
    ...allowedHosts.ofFolder(folder),
    once: allowedHosts.onceIn(folder),
    denied: deniedOffers(logs.list(), folder, (summary) => allowedHosts.decisionsFor(summary)),
  };
}
