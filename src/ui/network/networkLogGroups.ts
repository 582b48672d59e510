import type { NetworkEntry, NetworkReason } from '../../gateway/gateway';
import type { LoggedSandbox } from './networkLog';

/** What of the log is shown. */
export interface NetworkFilter {
  readonly verdict: NetworkEntry['verdict'] | 'all';
  /** the id of a sandbox; without it, all of them */
  readonly sandboxId?: string | undefined;
}

export const noFilter: NetworkFilter = { verdict: 'all' };

/** Attempts that are one line of the log: one by itself, or all that were denied to one host and port. */
export interface AttemptGroup {
  readonly sandbox: LoggedSandbox;
  readonly latest: NetworkEntry;
  /** milliseconds since the epoch */
  readonly firstTime: number;
  readonly count: number;
}

/** A host that a sandbox was denied, as the commands on it need it. Its name is hostile. */
export interface DeniedHost {
  readonly sandboxId: string;
  /** whether something can still be allowed for this sandbox alone */
  readonly isRunning: boolean;
  /** real path of the folder in which it works */
  readonly workspace: string;
  readonly host: string;
  readonly port: number;
  readonly reason: NetworkReason | undefined;
  /** for `privateAddress` */
  readonly address: string | undefined;
}

/** What the user has decided that counts for a sandbox now. */
export interface HostDecisions {
  /** whether it would be let through to a host and port */
  readonly allows: (host: string, port: number) => boolean;
  /** hosts that are denied and of which nothing more is told */
  readonly keptDenied: ReadonlySet<string>;
}

/** The logs that a filter leaves, with the attempts that it leaves. */
export function filteredLogs(sandboxes: readonly LoggedSandbox[], filter: NetworkFilter): LoggedSandbox[] {
  const { verdict, sandboxId } = filter;
  return sandboxes
    .filter(({ summary }) => sandboxId === undefined || summary.id === sandboxId)
    .map((sandbox) => ({
      ...sandbox,
      entries: sandbox.entries.filter((entry) => verdict === 'all' || entry.verdict === verdict),
    }));
}

/** The lines of the log, the newest first. */
export function attemptGroups(sandboxes: readonly LoggedSandbox[]): AttemptGroup[] {
  return sandboxes.flatMap(groupsOf).sort((one, other) => other.latest.time - one.latest.time);
}

/** What was denied, each host and port once for each sandbox, the latest first. */
export function deniedHosts(sandboxes: readonly LoggedSandbox[]): DeniedHost[] {
  return attemptGroups(filteredLogs(sandboxes, { verdict: 'denied' })).map(deniedHostOf);
}

/** The host of a group of denied attempts. */
export function deniedHostOf({ sandbox, latest }: AttemptGroup): DeniedHost {
  const { id, workspace } = sandbox.summary;
  const { host, port, reason, address } = latest;
  return { sandboxId: id, isRunning: sandbox.isRunning, workspace, host, port, reason, address };
}

/** Whether allowing the host helps: other reasons than these two are faults of the attempt itself. */
export function canBeAllowed({ reason }: DeniedHost): boolean {
  return reason === 'notAllowed' || reason === 'privateAddress';
}

/** Whether a host that was denied would be let through now, and to the address to which it led, too. */
export function isAllowedNow(denied: DeniedHost, { allows }: HostDecisions): boolean {
  const { host, port, reason, address = '' } = denied;
  const names = reason === 'privateAddress' ? [host, address] : [host];
  return canBeAllowed(denied) && names.every((name) => allows(name, port));
}

function groupsOf(sandbox: LoggedSandbox): AttemptGroup[] {
  const groups = new Map<string, AttemptGroup>();
  for (const entry of sandbox.entries) {
    const key = entry.verdict === 'denied' ? `${entry.port} ${entry.host}` : `# ${entry.id}`;
    const known = groups.get(key);
    groups.set(key, {
      sandbox,
      latest: entry,
      firstTime: known?.firstTime ?? entry.time,
      count: (known?.count ?? 0) + 1,
    });
  }
  // backwards, so that of the same millisecond the newest stays first when all are sorted
  return [...groups.values()].reverse();
}
