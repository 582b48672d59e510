import type { ContainerFacts, ForeignDescriptor } from './facts';
import type { Expectation } from './launchPlan';
import { message, type Message } from './message';
import type { JudgedPhase, VerdictLine } from './verdict';

/** Whether any process holds a descriptor that it did not open in the container. */
export function judgeDescriptors(facts: ContainerFacts, phase: JudgedPhase): VerdictLine {
  const fact = 'descriptors';
  const { inheritedStreams } = facts;
  if (!inheritedStreams) {
    return {
      fact,
      status: 'broken',
      detail: message('the descriptors of the process at the gate could not be read'),
    };
  }
  // the terminal that the supervisor made, and what a process without input is given
  const harmless = [facts.terminal, '/dev/tty', '/dev/null'];
  const foreign = [...inheritedStreams, ...facts.foreignDescriptors].find(
    ({ target }) => !harmless.includes(target),
  );
  if (foreign) {
    return { fact, status: 'broken', detail: describeForeign(foreign, phase) };
  }
  const [unreadable] = facts.unreadableDescriptors;
  if (unreadable !== undefined) {
    // a process can only inherit before the gate opens; later ones may hide, but have nothing to hide
    const status = phase === 'gate' ? 'broken' : 'degraded';
    return { fact, status, detail: message('the descriptors of process {0} could not be read', unreadable) };
  }
  return { fact, status: 'holds', detail: message('nothing was inherited but the terminal') };
}

/** Once the gate is open, the sandbox can choose how files are called; their names are left out then. */
function describeForeign({ pid, descriptor, target }: ForeignDescriptor, phase: JudgedPhase): Message {
  return phase === 'gate'
    ? message('process {0} holds {1} of the host as descriptor {2}', pid, target, descriptor)
    : message('process {0} holds a file of the host as descriptor {1}', pid, descriptor);
}

/** Variables that carry secrets of the host, reach its services, or change how programs load code. */
const leaks =
  /^((https?|all|ftp|no)_proxy|LD_(PRELOAD|AUDIT)|NODE_OPTIONS|BUN_OPTIONS|BASH_ENV|ENV|(AWS|SSH|DBUS|KRB5|VSCODE|ELECTRON)_.*|XDG_RUNTIME_DIR|KRB5.*|.*(TOKEN|API_?KEY|ACCESS_KEY.*|SECRET|PASSWORD|CREDENTIALS?))$/i;

/** Whether the process at the gate had such a variable that neither we nor the image gave it. */
export function judgeEnvironment(facts: ContainerFacts, expectation: Expectation): VerdictLine {
  const fact = 'environment';
  if (!facts.environmentNames) {
    return { fact, status: 'broken', detail: message('the variables could not be read') };
  }
  const { environmentNames, shownNames } = expectation;
  const known = new Set([...environmentNames, ...shownNames, ...facts.imageVariables]);
  const leak = facts.environmentNames.find((name) => leaks.test(name) && !known.has(name));
  return leak === undefined
    ? { fact, status: 'holds', detail: harmlessDetail(shownNames) }
    : {
        fact,
        status: 'broken',
        detail: message('the variable {0} came neither from the image nor from us', leak),
      };
}

function harmlessDetail(shownNames: readonly string[]): Message {
  return shownNames.length === 0
    ? message('none that carries a secret, reaches a service or loads code')
    : message(
        'none that carries a secret, reaches a service or loads code, besides what you gave to the agent: {0}',
        shownNames.join(', '),
      );
}
