import type { NetworkLogState } from '../../contributions';
import { message, type formatMessage, type Message } from '../../sandbox/message';
import type { NetworkMode } from '../../sandbox/specification';
import type { NetworkFilter } from './networkLogGroups';

/**
 * What the empty log says.
 * @param networks of the running sandboxes
 * @param isFiltered whether something was tried that the filter hides
 */
export function networkLogState(networks: readonly NetworkMode[], isFiltered: boolean): NetworkLogState {
  if (isFiltered) {
    return 'filtered';
  }
  if (networks.length === 0) {
    return 'noSandbox';
  }
  if (networks.includes('restricted')) {
    return 'nothingYet';
  }
  return networks.includes('open') ? 'open' : 'off';
}

/**
 * What of the log is shown, in a word or two; empty for all of it.
 * @param sandbox how the sandbox is called, if only one is shown
 */
export function filterText(
  { verdict }: NetworkFilter,
  sandbox: string | undefined,
  render: typeof formatMessage,
): string {
  return [
    ...(verdict === 'all' ? [] : [render(filterTexts[verdict])]),
    ...(sandbox === undefined ? [] : [sandbox]),
  ].join(' · ');
}

/** What each filter shows. */
export const filterTexts: Readonly<Record<NetworkFilter['verdict'], Message>> = {
  all: message('everything'),
  denied: message('denied only'),
  allowed: message('allowed only'),
  failed: message('failed only'),
};
