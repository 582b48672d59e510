import type { ProbeReport } from './seen';

/** What the inside part says of one probe. */
export interface ReportedProbe extends ProbeReport {
  readonly id: string;
}

/** So much of what a probe got is passed on, for people. */
const longestSaid = 160;

/** What the host hides looks like that; which it is nobody inside can know. */
const secretPattern = /secret-[0-9a-f]{32}/g;

/** A new random text to hide. @param random 16 random bytes */
export function makeSecret(random: Buffer): string {
  return `secret-${random.toString('hex')}`;
}

/** One probe's report as a line that no terminal changes: all secrets that it got, and a little of the rest. */
export function reportLine(token: string, { id, said, failure }: ReportedProbe): string {
  const secrets = [...new Set(said.match(secretPattern))];
  const text = JSON.stringify({ id, said: [said.slice(0, longestSaid), ...secrets].join(' '), failure });
  return `\n[${token} report ${Buffer.from(text, 'utf8').toString('base64')}]\n`;
}

/** A word on the way: `ready`, `tried`. */
export function sayWord(token: string, word: string): string {
  return `\n[${token} ${word}]\n`;
}

/** Whether a word has come out. */
export function hasSaid(stream: string, token: string, word: string): boolean {
  return stream.includes(`[${token} ${word}]`);
}

/** All reports that came out on a terminal. What is no report is left out; of two for one probe the first counts. */
export function readReports(stream: string, token: string): Map<string, ProbeReport> {
  const reports = new Map<string, ProbeReport>();
  for (const [, encoded = ''] of stream.matchAll(
    new RegExp(`\\[${token} report ([A-Za-z0-9+/=]+)\\]`, 'g'),
  )) {
    const report = parse(Buffer.from(encoded, 'base64').toString('utf8'));
    if (report && !reports.has(report.id)) reports.set(report.id, report);
  }
  return reports;
}

function parse(text: string): ReportedProbe | undefined {
  try {
    const { id, said, failure } = JSON.parse(text) as Partial<Record<keyof ReportedProbe, unknown>>;
    return typeof id === 'string' && typeof said === 'string'
      ? { id, said, ...(typeof failure === 'string' ? { failure } : {}) }
      : undefined;
  } catch {
    return undefined;
  }
}
