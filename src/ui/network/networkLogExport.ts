import type { NetworkEntry } from '../../gateway/gateway';
import type { LoggedSandbox } from './networkLog';

/** One attempt as it is exported. */
interface ExportedAttempt extends Omit<NetworkEntry, 'time'> {
  /** ISO 8601, UTC */
  readonly time: string;
  readonly sandbox: string;
  readonly sandboxKind: string;
  readonly folder: string;
}

/**
 * The attempts as a JSON document, the oldest of each sandbox first. Names of hosts are as the agent chose them, with
 * everything but ASCII escaped, so that no character makes the document read as another.
 */
export function networkLogJson(sandboxes: readonly LoggedSandbox[]): string {
  const text = JSON.stringify(exported(sandboxes), null, 2);
  return `${text.replace(/[^\x20-\x7e\n]/g, escaped)}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * The attempts as a table in the form of RFC 4180. Programs for tables take a cell for a formula that begins with one
 * of `= + - @`, and some split at semicolons or tabs, too: so texts keep only what hosts and paths are made of, and
 * what could begin a formula gets an apostrophe in front.
 */
export function networkLogCsv(sandboxes: readonly LoggedSandbox[]): string {
  const lines = exported(sandboxes).map((attempt) =>
    columns.map((column) => cell(attempt[column])).join(','),
  );
  return [columns.join(','), ...lines, ''].join('\r\n');
}

const columns = [
  'time',
  'sandbox',
  'sandboxKind',
  'folder',
  'id',
  'host',
  'port',
  'kind',
  'verdict',
  'reason',
  'address',
  'bytesSent',
  'bytesReceived',
  'durationMilliseconds',
] as const satisfies readonly (keyof ExportedAttempt)[];

function exported(sandboxes: readonly LoggedSandbox[]): ExportedAttempt[] {
  return sandboxes.flatMap(({ summary, entries }) =>
    entries.map((entry) => ({
      ...entry,
      time: new Date(entry.time).toISOString(),
      sandbox: summary.id,
      sandboxKind: summary.kind,
      folder: summary.workspace,
    })),
  );
}

function cell(value: string | number | undefined): string {
  if (typeof value !== 'string') {
    return value === undefined ? '' : String(value);
  }
  const text = value.replace(/[^\p{L}\p{M}\p{N} _.:/[\]%*@~+-]/gu, '\ufffd');
  return `"${/^ *[-+@]/.test(text) ? "'" : ''}${text}"`;
}
