import { forwardsOf } from '../sandbox/gatewayPlan';
import { bunCommand, shellScript } from '../sandbox/launchPlan';
import { seenFromInside, type RunDirectory } from '../sandbox/runDirectory';
import type { SandboxSpecification } from '../sandbox/specification';
import type { CompanionOrder } from './companionChannel';

function resumeArguments({ resume }: SandboxSpecification): string[] {
  return resume ? ['-s', resume.sessionId, ...(resume.isFork ? ['--fork'] : [])] : [];
}

/** What the companion is to run. The prompt goes through standard input: argv is visible to other users. */
export function companionOrder(specification: SandboxSpecification, run: RunDirectory): CompanionOrder {
  const { kind, prompt, workspace } = specification;
  const order = { directory: workspace.path, forwards: forwardsOf(specification, run) };
  switch (kind) {
    case 'task':
      return { ...order, command: ['opencode', 'run'], input: prompt ?? '' };
    case 'agent':
      return { ...order, command: ['opencode', ...resumeArguments(specification)] };
    case 'probes':
      return {
        ...order,
        command: [...bunCommand, seenFromInside(run.probes, run), specification.probePlan ?? ''],
      };
    case 'shell':
    case 'run':
      return { ...order, command: ['/bin/sh', '-c', shellScript] };
  }
}
