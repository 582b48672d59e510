import type { ContainerFacts } from './facts';
import type { JudgedPhase } from './judge';
import type { Expectation } from './launchPlan';
import { message } from './message';
import type { VerdictLine } from './verdict';

/** Whether any process holds a descriptor that it did not open in the container. */
export function judgeDescriptors(facts: ContainerFacts, phase: JudgedPhase): VerdictLine {
  const fact = 'descriptors';
  // the terminal that the supervisor made, and what a process without input is given
  const harmless = [facts.terminal, '/dev/tty', '/dev/null'];
  const foreign = facts.foreignDescriptors.find(({ target }) => !harmless.includes(target));
  if (foreign) {
    const detail = message(
      'process {0} holds {1} as descriptor {2}',
      foreign.pid,
      foreign.target,
      foreign.descriptor,
    );
    return { fact, status: 'broken', detail };
  }
  const [unreadable] = facts.unreadableDescriptors;
  if (unreadable !== undefined) {
    // a process can only inherit before the gate opens; later ones may hide, but have nothing to hide
    const status = phase === 'gate' ? 'broken' : 'degraded';
    return { fact, status, detail: message('the descriptors of process {0} could not be read', unreadable) };
  }
  return { fact, status: 'holds', detail: message('nothing was inherited but the terminal') };
}

/** Variables that carry secrets of the host, reach its services, or change how programs load code. */
const leaks =
  /^((https?|all|ftp|no)_proxy|LD_(PRELOAD|AUDIT)|NODE_OPTIONS|BUN_OPTIONS|BASH_ENV|ENV|SSH_.*|DBUS_.*|XDG_RUNTIME_DIR|KRB5.*|VSCODE_.*|ELECTRON_.*|.*_(TOKEN|API_?KEY|SECRET|PASSWORD))$/i;

/** Whether the process at the gate had a variable that neither we nor the image gave it. */
export function judgeEnvironment(
  { environmentNames }: ContainerFacts,
  expectation: Expectation,
): VerdictLine {
  const fact = 'environment';
  const ours = new Set(expectation.environmentNames);
  const leak = environmentNames.find((name) => leaks.test(name) && !ours.has(name));
  return leak === undefined
    ? { fact, status: 'holds', detail: message('no variable of the host') }
    : { fact, status: 'broken', detail: message('the variable {0} came from the host', leak) };
}
