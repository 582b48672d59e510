import type { ContainerFacts } from './facts';
import { message } from './message';
import type { VerdictLine } from './verdict';

/**
 * Whether Apptainer's own program is out of the agent's reach: inside it can be found as /proc/1/exe, and who owns it
 * can change its mode there, or make it setuid (measured). A program of root's can't be changed.
 */
export function judgeLauncher({ launcher }: ContainerFacts): VerdictLine {
  const fact = 'launcher';
  if (!launcher) {
    return { fact, status: 'broken', detail: message('Apptainer’s program could not be identified') };
  }
  if (!launcher.isOurs) {
    return {
      fact,
      status: 'holds',
      detail: message('it belongs to somebody else, and can’t be changed from inside'),
    };
  }
  if (launcher.isOpenToOthers) {
    const detail = message('Apptainer’s program can be changed by others, or runs as its owner for anybody');
    return { fact, status: 'broken', detail };
  }
  return launcher.isUnchanged
    ? { fact, status: 'holds', detail: message('unchanged since the start') }
    : { fact, status: 'broken', detail: message('Apptainer’s program was changed while the sandbox ran') };
}
