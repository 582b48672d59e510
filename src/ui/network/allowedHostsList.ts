import * as v from 'valibot';
import { parseAs } from '../../sandbox/parseAs';
import { record } from '../../sandbox/schemas';
import { classifyAddress } from '../../gateway/addressRules';
import {
  formatHostEntry,
  hostEntryFor,
  matchesEntry,
  parseHostEntry,
  type HostEntry,
} from '../../gateway/hostEntry';
import { hostPresets } from '../../gateway/presets';
import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';
import type { DeniedHost } from './networkLogGroups';

/** What a user has decided for one folder. */
export interface FolderHosts {
  /** as `gateway/hostEntry.ts` writes them */
  readonly entries: readonly string[];
  /** ids of `gateway/presets.ts` */
  readonly presets: readonly string[];
  /** hosts that stay denied and of which nothing more is told; hostile */
  readonly keptDenied: readonly string[];
}

const texts = v.fallback(v.array(v.string()), []);
const folderHosts = v.fallback(v.object({ entries: texts, presets: texts, keptDenied: texts }), {
  entries: [],
  presets: [],
  keptDenied: [],
});
const onceHosts = v.fallback(record(v.string(), texts), {});

/** What was stored for a folder. What another version stored and this one does not understand does not count. */
export function readFolderHosts(stored: unknown): FolderHosts {
  const { entries, presets, keptDenied } = parseAs(folderHosts, stored);
  const known = new Set(hostPresets.map(({ id }) => id));
  return {
    entries: readable(entries),
    presets: presets.filter((id) => known.has(id)),
    keptDenied,
  };
}

/** What was stored as allowed once, by the id of the sandbox. */
export function readOnceHosts(stored: unknown): Map<string, readonly string[]> {
  return new Map(
    Object.entries(parseAs(onceHosts, stored)).map(([id, entries]) => [id, readable(entries)] as const),
  );
}

/**
 * The entries that count: those of the presets, of the folder, of the setting, and of what was allowed once.
 * @param setting entries as {@link readEntry} returns them
 * @returns each once, sorted
 */
export function effectiveHosts(
  { entries, presets }: FolderHosts,
  setting: readonly string[],
  once: readonly string[] = [],
): string[] {
  const ofPresets = hostPresets.filter(({ id }) => presets.includes(id)).flatMap(({ hosts }) => hosts);
  return [...new Set([...ofPresets, ...entries, ...setting, ...once])].sort();
}

/** An entry as a person wrote it, in the form in which it is kept. @throws UserError `host.invalid` */
export function readEntry(text: string): string {
  return formatHostEntry(parseHostEntry(text));
}

/** Finds out whether a host and port are let through by these entries. */
export function hostMatcher(entries: readonly string[]): (host: string, port: number) => boolean {
  const parsed = entries.map(parseHostEntry);
  return (host, port) => {
    const wanted = entryOf(host, port);
    return wanted !== undefined && parsed.some((entry) => matchesEntry(entry, { ...wanted, port }));
  };
}

/** What has to be allowed so that a denied host is let through. */
export interface NeededEntries {
  readonly entries: readonly string[];
  /** those of them, without port, that lead to this computer or its networks; safe to show */
  readonly insideAddresses: readonly string[];
}

/**
 * What has to be allowed so that a denied host is let through: the host, and the address to which it leads if that
 * is no public one.
 * @throws UserError `host.cannotBeAllowed` for what is no host, or was denied for another reason
 */
export function neededEntries({ host, port, reason, address }: DeniedHost): NeededEntries {
  const wanted = entryOf(host, port);
  const leadsTo = reason === 'privateAddress' ? entryOf(address ?? '', port) : undefined;
  const isComplete = reason === 'notAllowed' || (reason === 'privateAddress' && leadsTo?.kind === 'address');
  if (!wanted || !isComplete) {
    throw new UserError(
      'host.cannotBeAllowed',
      message('This attempt was not denied because of its host, so allowing the host does not help.'),
    );
  }
  const needed = leadsTo ? [wanted, leadsTo] : [wanted];
  const inside = needed.filter(
    (entry) => entry.kind === 'address' && classifyAddress(entry.host) !== 'public',
  );
  return {
    entries: [...new Set(needed.map(formatHostEntry))],
    insideAddresses: [...new Set(inside.map((entry) => entry.host))],
  };
}

/** @param host hostile @returns undefined for what is no host */
function entryOf(host: string, port: number): HostEntry | undefined {
  try {
    const entry = hostEntryFor(host, port);
    // one host was denied, whatever it is called
    return entry.kind === 'subdomains' ? undefined : entry;
  } catch {
    return undefined;
  }
}

function readable(entries: readonly string[]): string[] {
  return entries.flatMap((entry) => {
    try {
      return [readEntry(entry)];
    } catch {
      return [];
    }
  });
}
