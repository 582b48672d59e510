import { neededEntries } from './allowedHostsList';
import type { LoggedSandbox } from './networkLog';
import { deniedHosts, isAllowedNow, type DeniedHost, type HostDecisions } from './networkLogGroups';

/** Among more nobody finds the one that he means; the Network Log has all. */
const mostOffers = 20;

/**
 * Hosts that sandboxes for a folder were denied and that could be allowed, the latest first, each with its port once.
 * Not those that are allowed by now, nor those of which the user wants to hear nothing more.
 * @param folder its real path
 */
export function deniedOffers(
  logs: readonly LoggedSandbox[],
  folder: string,
  decisionsFor: (summary: LoggedSandbox['summary']) => HostDecisions,
): DeniedHost[] {
  const ofFolder = logs.filter(({ summary }) => summary.workspace === folder);
  const decisions = new Map(ofFolder.map(({ summary }) => [summary.id, decisionsFor(summary)] as const));
  const offers = new Map<string, DeniedHost>();
  for (const denied of deniedHosts(ofFolder)) {
    const key = `${denied.port} ${denied.host}`;
    const decided = decisions.get(denied.sandboxId);
    if (decided && !offers.has(key) && isOpen(denied, decided)) offers.set(key, denied);
  }
  return [...offers.values()].slice(0, mostOffers);
}

function isOpen(denied: DeniedHost, decisions: HostDecisions): boolean {
  return canBeEntered(denied) && !isAllowedNow(denied, decisions) && !decisions.keptDenied.has(denied.host);
}

/** What was asked for may be no host at all. */
function canBeEntered(denied: DeniedHost): boolean {
  try {
    return neededEntries(denied).entries.length > 0;
  } catch {
    return false;
  }
}
