import { readSmallFile } from '../../host/safeFiles';
import type { Plan } from '../plan';
import { probes } from '../probes';
import type { KernelFacts } from '../seen';

/** Longer than everything that a probe leaves. */
const longestMark = 64 * 1024;

/** The probes whose attempt the host can see: its files are there, or the kernel shows that they can't be written. */
export async function findMarked(plan: Plan, kernel: KernelFacts | undefined): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { id, marks } of probes) {
    const states = (marks?.(plan) ?? []).map(({ path, text }) => isMarked(path, text, kernel));
    if ((await Promise.all(states)).every(Boolean)) found.add(id);
  }
  return found;
}

async function isMarked(path: string, text: string, kernel: KernelFacts | undefined): Promise<boolean> {
  if (kernel?.exposed.get(path) === 'readOnly') return true;
  const content = await readSmallFile(path, longestMark).catch(() => undefined);
  return content?.toString('utf8') === text;
}
