import { factTitle, verdictHeadline } from '../../src/sandbox/explain';
import { formatMessage } from '../../src/sandbox/message';
import { isStale, type Verdict } from '../../src/sandbox/verdict';
import type { SandboxEnd } from '../../src/supervisor/protocol';
import { plainLine } from './terminalText';

const symbols = { holds: '✓', degraded: '!', broken: '✗' } as const;

/** A verdict with all its facts, one a line. */
export function verdictLines(verdict: Verdict): string[] {
  return [
    headline(verdict),
    ...verdict.lines.map(({ fact, status, detail }) =>
      plainLine(`  ${symbols[status]} ${formatMessage(factTitle(fact))}: ${formatMessage(detail)}`),
    ),
  ];
}

/** What can be said of the sandbox at its end. @param now milliseconds since the epoch */
export function finalVerdictLine(
  verdict: Verdict | undefined,
  end: SandboxEnd | undefined,
  now: number,
): string {
  if (end?.reason === 'refused' || end?.reason === 'broken') {
    return 'Sandbox: broken';
  }
  return verdict === undefined || isStale(verdict, now) ? 'Sandbox: not verified' : headline(verdict);
}

function headline(verdict: Verdict): string {
  const time = new Date(verdict.time).toLocaleTimeString();
  return `Sandbox: ${formatMessage(verdictHeadline(verdict))} (from the kernel’s facts at ${time})`;
}
