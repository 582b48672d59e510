import { runBattery, type JudgedProbe } from '../../../src/probes/host/battery';
import { Canaries } from '../../../src/probes/host/canaries';
import type { Target } from '../../../src/probes/host/target';
import { formatMessage } from '../../../src/sandbox/message';

// in the home, so that whoever sees that sees this, too
export const environment = { ...process.env, XDG_RUNTIME_DIR: process.env['HOME'] };

/** A run with a folder and canaries of its own. */
export async function runOn(target: Target): Promise<JudgedProbe[]> {
  const canaries = await Canaries.plant({ environment });
  try {
    const { signal } = new AbortController();
    return await runBattery({ target, canaries, signal, onProblem: console.error });
  } finally {
    await canaries.remove();
  }
}

export function notHeld(judged: readonly JudgedProbe[]): string[] {
  return judged.filter(({ judgement }) => judgement.result === 'notHeld').map(({ probe }) => probe.id);
}

/** For people, when something is not as it should be. */
export function details(judged: readonly JudgedProbe[], ids: readonly string[]): string {
  return judged
    .filter(({ probe }) => ids.includes(probe.id))
    .map(({ probe, judgement, said }) => `${probe.id}: ${formatMessage(judgement.evidence)} (${said})`)
    .join('\n');
}

/** What has not been built yet; whatever else does not hold is a failure. */
export function isOpen(id: string): boolean {
  return id === 'limits.processes' || id === 'limits.memory';
}
