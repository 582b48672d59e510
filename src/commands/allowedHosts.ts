import { askForHost, pickHosts, type HostsAnswer } from '../ui/network/allowedHostsPick';
import { plainText } from '../ui/plainText';
import { chooseFolder, realPathOf } from '../ui/window';
import type { Services } from './services';

/** Lets the user choose what sandboxes for a folder may reach. Running ones are told at once. */
export async function chooseAllowedHosts({ network }: Services): Promise<void> {
  const { name, uri } = await chooseFolder();
  const folder = await realPathOf(uri.fsPath);
  const settingCount = network.allowedHosts.ofSetting().length;
  let answer: HostsAnswer;
  do {
    const choice = { ...network.allowedHosts.ofFolder(folder), once: network.allowedHosts.onceIn(folder) };
    answer = await pickHosts(choice, plainText(name), settingCount);
    const added = answer.addsHost ? await askForHost() : undefined;
    if (answer.addsHost && added === undefined) {
      continue;
    }
    const entries = [...new Set([...answer.entries, ...(added === undefined ? [] : [added])])];
    await network.allowedHosts.choose(folder, { presets: answer.presets, entries }, answer.once);
    network.view.update();
  } while (answer.addsHost);
}
