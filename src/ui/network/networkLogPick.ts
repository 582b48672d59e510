import * as vscode from 'vscode';
import { classifyAddress } from '../../gateway/addressRules';
import { message, type Message } from '../../sandbox/message';
import { Cancelled, UserError } from '../../sandbox/userError';
import { type NeededEntries, neededEntries } from './allowedHostsList';
import type { LoggedSandbox } from './networkLog';
import { deniedHosts, type DeniedHost, type HostDecisions, type NetworkFilter } from './networkLogGroups';
import { hostLabel, sandboxName, wholeHostLabel } from './networkLogRows';
import { filterTexts } from './networkLogState';
import { reasonWords } from './networkLogText';
import { deniedHostOfRow } from './networkLogView';
import type { WindowNetwork } from './networkLogWindow';
import type { Say } from '../say';
import { translate } from '../translate';

/**
 * The denied host of the row on which a command was invoked; without one, the user picks it.
 * @param isOffered which of those that are denied still can be picked
 * @throws UserError when there are none, Cancelled
 */
export async function chooseDeniedHost(
  row: unknown,
  { logs, allowedHosts }: Pick<WindowNetwork, 'logs' | 'allowedHosts'>,
  isOffered: (denied: DeniedHost, decisions: HostDecisions) => boolean,
  placeHolder: string,
): Promise<DeniedHost> {
  const ofRow = deniedHostOfRow(row);
  if (ofRow) {
    return ofRow;
  }
  await logs.complete();
  const items = logs.list().flatMap((log) => {
    const decisions = allowedHosts.decisionsFor(log.summary);
    return deniedHosts([log]).filter((denied) => isOffered(denied, decisions));
  });
  if (items.length === 0) {
    throw new UserError(
      'network.nothingDenied',
      message('No sandbox of this window was denied a host about which this could be decided.'),
    );
  }
  const picked = await vscode.window.showQuickPick(items.map(itemOf), { placeHolder, matchOnDetail: true });
  if (!picked) {
    throw new Cancelled('no host was chosen');
  }
  return picked.denied;
}

function itemOf(denied: DeniedHost): vscode.QuickPickItem & { readonly denied: DeniedHost } {
  const { host, port, reason } = denied;
  return {
    label: hostLabel(host, port),
    ...(reason === undefined ? {} : { description: translate(reasonWords(reason)) }),
    detail: wholeHostLabel(host, port),
    denied,
  };
}

/**
 * Allows a denied host for its folder, after a question where that leads to this computer or its networks.
 * @throws UserError for what can't be allowed, or when a sandbox could not be told; Cancelled
 */
export async function allowForFolder(
  denied: DeniedHost,
  allowedHosts: WindowNetwork['allowedHosts'],
  say: Say,
): Promise<void> {
  const needed = neededEntries(denied);
  await confirmInside(needed, say);
  await allowedHosts.allow(denied.workspace, needed.entries, denied.host);
}

/**
 * Asks before something is allowed that leads to this computer or its networks. Names only addresses, never a host.
 * @throws Cancelled
 */
export async function confirmInside({ insideAddresses }: NeededEntries, say: Say): Promise<void> {
  if (insideAddresses.length === 0) {
    return;
  }
  const places = insideAddresses.map((address) => `${address} (${translate(placeText(address))})`);
  const text = message(
    'This leads to {0}. If you allow it, sandboxes can reach that address itself, by any name.',
    places.join(', '),
  );
  if (!(await say.confirm(text, vscode.l10n.t('Allow')))) {
    throw new Cancelled('the address was not allowed');
  }
}

/** What is behind an address that is not public. */
function placeText(address: string): Message {
  switch (classifyAddress(address)) {
    case 'metadata':
      return message('a service that gives out credentials of this computer');
    case 'loopback':
    case 'unspecified':
      return message('this computer itself');
    default:
      return message('a network that is not public');
  }
}

/** Which part of the log to show. @throws Cancelled */
export async function pickFilter(
  sandboxes: readonly LoggedSandbox[],
  current: NetworkFilter,
): Promise<NetworkFilter> {
  const verdicts = ['all', 'denied', 'allowed', 'failed'] as const;
  const verdict = await pickOne(
    verdicts.map((value) => ({ value, label: translate(filterTexts[value]) })),
    current.verdict,
    vscode.l10n.t('What of the log to show'),
  );
  if (sandboxes.length < 2) {
    return { verdict };
  }
  const sandboxId = await pickOne(
    [
      { value: undefined, label: vscode.l10n.t('All sandboxes') },
      ...sandboxes.map((sandbox) => ({
        value: sandbox.summary.id,
        label: sandboxName(sandbox, translate),
        description: vscode.l10n.t('Started {0}', new Date(sandbox.summary.startedAt).toLocaleString()),
      })),
    ],
    current.sandboxId,
    vscode.l10n.t('Of which sandbox'),
  );
  return { verdict, sandboxId };
}

/** The present one comes first, so that Enter keeps it. */
async function pickOne<Value>(
  items: readonly (vscode.QuickPickItem & { readonly value: Value })[],
  current: Value,
  placeHolder: string,
): Promise<Value> {
  const isCurrent = (item: { readonly value: Value }): boolean => item.value === current;
  const sorted = [...items.filter(isCurrent), ...items.filter((item) => !isCurrent(item))];
  const title = vscode.l10n.t('Filter the Network Log');
  const picked = await vscode.window.showQuickPick(sorted, { title, placeHolder });
  if (!picked) {
    throw new Cancelled('nothing was chosen');
  }
  return picked.value;
}
