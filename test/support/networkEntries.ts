import type { NetworkEntry } from '../../src/gateway/gateway';
import type { KnownSandbox } from '../../src/launch/sandboxRegistry';
import type { SandboxSummary } from '../../src/supervisor/protocol';
import { summary } from './fakeConnection';

/** An attempt that was denied, changed as a test needs it. */
export function entryOf(change: Partial<NetworkEntry> = {}): NetworkEntry {
  return {
    id: 1,
    time: 1_700_000_000_000,
    host: 'tracker.example',
    port: 443,
    kind: 'tunnel',
    verdict: 'denied',
    reason: 'notAllowed',
    bytesSent: 0,
    bytesReceived: 0,
    durationMilliseconds: 1,
    ...change,
  };
}

/** An attempt that was allowed and is over. */
export function allowedEntry(change: Partial<NetworkEntry> = {}): NetworkEntry {
  const { reason: _reason, ...entry } = entryOf({ host: 'pypi.org', verdict: 'allowed' });
  return { ...entry, bytesSent: 1234, bytesReceived: 5_600_000, durationMilliseconds: 1500, ...change };
}

/** A sandbox that runs with a restricted network. */
export function restrictedSandbox(change: Partial<SandboxSummary> = {}): KnownSandbox {
  return {
    socket: '/run/socket',
    summary: { ...summary, network: 'restricted', ...change },
    status: { phase: 'running' },
  };
}

/** Names that an agent could choose to make a text read, or act, as another. */
export const hostileHosts: readonly string[] = [
  '[Allow](command:workbench.action.quit)',
  '$(shield) isolated',
  'a\u202eb\nc\x1b]0;title\x07',
  '=HYPERLINK("http://evil.example";"x");@SUM(1+1)*cmd|\' /C calc\'!A0',
  'a'.repeat(10_000),
];
