import type * as nodePty from 'node-pty';
import type { LaunchPlan } from '../sandbox/launchPlan';
import type { Dimensions } from './protocol';

/** The size until a window says its own. */
export const firstDimensions: Dimensions = { columns: 120, rows: 30 };

/**
 * Starts Apptainer as planned as the leader of a session and terminal of its own: signals and injected input reach
 * nobody outside. It inherits no descriptor and nothing of our environment.
 */
export function spawnInPseudoTerminal(
  pty: typeof nodePty,
  plan: LaunchPlan,
  { columns, rows }: Dimensions,
): nodePty.IPty {
  return pty.spawn(plan.file, [...plan.arguments], {
    name: plan.environment['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows,
    // the workspace may be renamed or removed while the sandbox runs
    cwd: '/',
    env: { ...plan.environment },
  });
}
