import * as vscode from 'vscode';
import { settingKeys, settingName } from '../../contributions';
import { hostPresets } from '../../gateway/presets';
import { Cancelled, UserError } from '../../sandbox/userError';
import { ownPurpose } from '../../opencode/ownHosts';
import { readEntry } from './allowedHostsList';
import type { DeniedHost } from './networkLogGroups';
import { hostLabel, wholeHostLabel } from './networkLogRows';
import { reasonWords } from './networkLogText';
import { plainText } from '../plainText';
import { translate } from '../translate';

/** What is chosen: it is ticked when the list opens. */
interface HostsChoice {
  /** ids of the chosen presets */
  readonly presets: readonly string[];
  /** the folder's own entries */
  readonly entries: readonly string[];
  /** what was allowed once for sandboxes that run */
  readonly once: readonly string[];
}

/** What can be chosen from. */
export interface HostsOffer extends HostsChoice {
  /** hosts that were denied, which nobody has decided on; never ticked by themselves */
  readonly denied: readonly DeniedHost[];
}

/** What the user did: chose, or wants to add one more to what is chosen so far. */
export interface HostsAnswer extends HostsOffer {
  readonly addsHost: boolean;
}

interface HostItem extends vscode.QuickPickItem {
  readonly part?: keyof HostsChoice;
  /** the id or the entry */
  readonly value?: string;
  readonly denied?: DeniedHost;
}

/**
 * Lets the user choose among presets and entries; what is not chosen any more is removed.
 * @param folderName of the folder, as plain text
 * @param settingCount number of entries in the setting, which are allowed anyway
 * @throws Cancelled
 */
export function pickHosts(offer: HostsOffer, folderName: string, settingCount: number): Promise<HostsAnswer> {
  const pick = vscode.window.createQuickPick<HostItem>();
  pick.title = vscode.l10n.t('Hosts that sandboxes for {0} may reach', folderName);
  pick.placeholder =
    settingCount === 0
      ? vscode.l10n.t('Allowed while the network is restricted; + adds a host')
      : vscode.l10n.t('The setting allows {0} more; + adds a host', settingCount);
  pick.canSelectMany = true;
  pick.ignoreFocusOut = true;
  pick.matchOnDetail = true;
  // not an item of the list: it would have a box to tick
  const add = { iconPath: new vscode.ThemeIcon('add'), tooltip: vscode.l10n.t('Add a host…') };
  const setting = {
    iconPath: new vscode.ThemeIcon('gear'),
    tooltip: vscode.l10n.t('Hosts allowed for all folders'),
  };
  pick.buttons = [add, setting];
  const items = itemsOf(offer);
  pick.items = items;
  pick.selectedItems = items.filter(({ picked }) => picked);
  return answerOf(pick, add);
}

/**
 * Asks for a host to allow.
 * @returns the entry in the form in which it is kept; undefined when the user went back
 */
export async function askForHost(): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add a Host'),
    prompt: vscode.l10n.t(
      'A host as in example.org, *.example.org or example.org:8080. Without a port: 443 and 80.',
    ),
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() === '' ? undefined : whyNoHost(value)),
  });
  return text === undefined || text.trim() === '' ? undefined : readEntry(text);
}

function whyNoHost(text: string): string | undefined {
  try {
    readEntry(text);
    return undefined;
  } catch (error) {
    return error instanceof UserError ? translate(error.description) : String(error);
  }
}

/** @param add the button that adds a host; the other one leads to the setting */
function answerOf(pick: vscode.QuickPick<HostItem>, add: vscode.QuickInputButton): Promise<HostsAnswer> {
  return new Promise<HostsAnswer>((resolve, reject) => {
    const answer = (addsHost: boolean): void => {
      const chosen = (part: keyof HostsChoice): string[] =>
        pick.selectedItems.flatMap((item) => (item.part === part && item.value ? [item.value] : []));
      const denied = pick.selectedItems.flatMap((item) => item.denied ?? []);
      const choice = { presets: chosen('presets'), entries: chosen('entries'), once: chosen('once') };
      resolve({ ...choice, denied, addsHost });
      pick.hide();
    };
    pick.onDidAccept(() => answer(false));
    pick.onDidTriggerButton((button) => {
      if (button === add) {
        answer(true);
        return;
      }
      pick.hide();
      void vscode.commands.executeCommand(
        `workbench.action.${vscode.env.remoteName === undefined ? 'openSettings' : 'openRemoteSettings'}`,
        { query: `@id:${settingName(settingKeys.allowedHosts)}` },
      );
    });
    // after an answer this has no effect
    pick.onDidHide(() => {
      pick.dispose();
      reject(new Cancelled('no hosts were chosen'));
    });
    pick.show();
  });
}

function itemsOf({ presets, entries, once, denied }: HostsOffer): HostItem[] {
  const separator = (label: string): HostItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const ofHosts = (part: 'entries' | 'once', hosts: readonly string[]): HostItem[] =>
    hosts.map((value) => ({ part, value, label: plainText(value), picked: true }));
  return [
    ...(entries.length > 0 ? [separator(vscode.l10n.t('Hosts of this folder'))] : []),
    ...ofHosts('entries', entries),
    ...(once.length > 0 ? [separator(vscode.l10n.t('Allowed until the sandbox ends'))] : []),
    ...ofHosts('once', once),
    ...(denied.length > 0 ? [separator(vscode.l10n.t('Denied so far: tick what shall be allowed'))] : []),
    ...denied.map(deniedItem),
    separator(vscode.l10n.t('For common tasks')),
    ...hostPresets.map(({ id, title, hosts }) => ({
      part: 'presets' as const,
      value: id,
      label: translate(title),
      detail: hosts.join(', '),
      picked: presets.includes(id),
    })),
  ];
}

/** A host that was denied, marked as such. */
function deniedItem(denied: DeniedHost): HostItem {
  const { host, port, reason } = denied;
  const label = hostLabel(host, port);
  const whole = wholeHostLabel(host, port);
  const purpose = ownPurpose(host);
  const why = reason === 'privateAddress' ? [translate(reasonWords(reason))] : [];
  const details = [
    ...(whole === label ? [] : [whole]),
    ...(purpose === undefined ? [] : [translate(purpose)]),
  ];
  return {
    label,
    description: [vscode.l10n.t('denied'), ...why].join(' · '),
    ...(details.length > 0 ? { detail: details.join(' · ') } : {}),
    denied,
  };
}
