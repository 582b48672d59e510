import { classifyAddress } from './addressRules';
import { type HostEntry, matchesEntry } from './hostEntry';
import { canonicalAddress } from './hostName';
import type { Target } from './target';

/**
 * Whether the list allows a target. Decided on the name alone, before any resolver hears of it: a question to a
 * resolver can carry data out.
 */
export function isOnList(target: Target, entries: readonly HostEntry[]): boolean {
  return entries.some((entry) => matchesEntry(entry, target));
}

export interface JudgedAddresses {
  /** canonical, in the order of the resolver */
  readonly usable: readonly string[];
  /** those that are not public and not on the list themselves */
  readonly refused: readonly string[];
}

/**
 * Which addresses of a target that is on the list may be connected to: public ones, and others only if an entry
 * names that very address and the port. A name on the list never opens this computer or its networks.
 * @param addresses all that the resolver gave, or the target itself if it is one
 */
export function judgeAddresses(
  { port }: Target,
  addresses: readonly string[],
  entries: readonly HostEntry[],
): JudgedAddresses {
  const canonical = [...new Set(addresses.map((address) => canonicalAddress(address) ?? address))];
  const isUsable = (address: string): boolean =>
    classifyAddress(address) === 'public' ||
    entries.some((entry) => matchesEntry(entry, { kind: 'address', host: address, port }));
  return {
    usable: canonical.filter(isUsable),
    refused: canonical.filter((address) => !isUsable(address)),
  };
}
