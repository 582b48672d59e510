import type { Bind } from './binds';
import type { ContainerFacts } from './facts';
import { hostDataMounts, type HostMount, shows } from './judgeMounts';
import type { Expectation } from './launchPlan';
import { message, type Message } from './message';
import type { JudgedPhase, VerdictLine } from './verdict';

/**
 * Whether what the host acts on by itself is still read-only where it was. Before the gate opens all of it must be;
 * afterwards a tool of the host that replaces a file takes its bind away, and whoever may write a folder can rename it:
 * a finding, because what lies there now can be written.
 */
export function judgeProtectedPaths(
  facts: ContainerFacts,
  { binds }: Expectation,
  phase: JudgedPhase,
): VerdictLine {
  const fact = 'protectedPaths';
  const guards = binds.filter(({ protects }) => protects !== undefined);
  const seen = hostDataMounts(facts);
  const lost = guards.flatMap((bind) => lossOf(bind, seen, facts) ?? []);
  const [first] = lost;
  if (first) {
    return { fact, status: phase === 'gate' ? 'broken' : 'degraded', detail: first };
  }
  return {
    fact,
    status: 'holds',
    detail:
      guards.length === 0
        ? message('there were none when the sandbox started')
        : message('{0} files and folders in the workspace', guards.length),
  };
}

/** What has become of a bind that is not where it was, in words without any name of the workspace. */
function lossOf(bind: Bind, seen: readonly HostMount[], facts: ContainerFacts): Message | undefined {
  const mounts = seen.filter((mount) => shows(mount, bind, facts));
  if (mounts.some(({ mount }) => mount.mountPoint === bind.destination)) {
    return undefined;
  }
  return mounts.length > 0
    ? message(
        '{0}: a folder above it was renamed, and what lies in its place now can be written',
        bind.protects ?? '',
      )
    : message('{0}: it was replaced or removed, and what lies there now can be written', bind.protects ?? '');
}
