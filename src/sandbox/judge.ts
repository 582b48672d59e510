import type { ContainerFacts, NamespaceName } from './facts';
import { judgeDescriptors, judgeEnvironment } from './judgeInheritance';
import { judgeLauncher } from './judgeLauncher';
import { judgeProtectedPaths } from './judgeProtected';
import { judgeHostPaths, judgeKernelInterfaces, visiblePaths } from './judgeMounts';
import { judgeImage, judgeRootFileSystem } from './judgeRoot';
import type { Expectation } from './launchPlan';
import { message } from './message';
import type { NetworkMode } from './specification';
import type { FactName, JudgedPhase, LineStatus, Verdict, VerdictLine } from './verdict';

/**
 * What the facts of a live container say of its isolation. Every line is decided by the kernel's facts alone; a
 * fact that could not be read is `broken`. Before the gate opens anything but `isolated` is refused; afterwards
 * `broken` is fatal and `degraded` is shown.
 */
export function judge(facts: ContainerFacts, expectation: Expectation, phase: JudgedPhase): Verdict {
  const lines = [
    judgeNamespace(facts, 'mountNamespace', 'mnt'),
    judgeNamespace(facts, 'processNamespace', 'pid'),
    judgeNamespace(facts, 'ipcNamespace', 'ipc'),
    judgeNamespace(facts, 'userNamespace', 'user'),
    judgeNamespace(facts, 'hostnameNamespace', 'uts'),
    judgeNetwork(facts, expectation),
    judgeCapabilities(facts),
    judgeNoNewPrivileges(facts),
    judgeSeccomp(facts),
    judgeHostPaths(facts, expectation, phase),
    judgeProtectedPaths(facts, expectation, phase),
    judgeKernelInterfaces(facts),
    judgeRootFileSystem(facts),
    judgeImage(facts, expectation),
    judgeLauncher(facts),
    judgeDescriptors(facts, phase),
    judgeEnvironment(facts, expectation),
  ];
  return {
    state: worst(lines),
    network: networkSeen(facts, expectation),
    lines,
    visiblePaths: visiblePaths(facts),
    time: facts.time,
  };
}

/** The kernel shows whether the network is closed; what the gateway lets through to it is ours to know. */
function networkSeen({ namespaces }: ContainerFacts, { network }: Expectation): NetworkMode {
  if (namespaces.net !== 'own') return 'open';
  return network === 'open' ? 'none' : network;
}

function worst(lines: readonly VerdictLine[]): Verdict['state'] {
  if (lines.some((line) => line.status === 'broken')) {
    return 'broken';
  }
  return lines.some((line) => line.status === 'degraded') ? 'degraded' : 'isolated';
}

function judgeNamespace(facts: ContainerFacts, fact: FactName, name: NamespaceName): VerdictLine {
  switch (facts.namespaces[name]) {
    case 'own':
      return { fact, status: 'holds', detail: message('own {0} namespace', name) };
    case 'shared':
      return { fact, status: 'broken', detail: message('the {0} namespace is the host’s', name) };
    case 'unreadable':
      return { fact, status: 'broken', detail: message('the {0} namespace could not be read', name) };
  }
}

function judgeNetwork(facts: ContainerFacts, { network }: Expectation): VerdictLine {
  const line = (status: LineStatus, detail: VerdictLine['detail']): VerdictLine => ({
    fact: 'network',
    status,
    detail,
  });
  const state = facts.namespaces.net;
  if (state === 'unreadable') {
    return line('broken', message('the net namespace could not be read'));
  }
  const [service] = facts.hostServices;
  if (state === 'shared' && service !== undefined) {
    // its name is left out: the sandbox itself could have chosen it
    const detail = message(
      'the open network reaches a {0} of this computer that lets the agent in, and so out of the sandbox; set the network to restricted',
      service,
    );
    return line('broken', detail);
  }
  if (network === 'open') {
    return line(
      'holds',
      message('open, as the setting says: the agent can reach whatever this computer reaches'),
    );
  }
  if (state === 'shared') {
    return line('broken', message('the net namespace is the host’s, although the setting says {0}', network));
  }
  const interfaces = facts.interfaces?.filter((name) => name !== 'lo');
  if (!interfaces) {
    return line('broken', message('the interfaces of the net namespace could not be read'));
  }
  return interfaces.length === 0
    ? line('holds', closedNetwork[network])
    : line('broken', message('the net namespace has interfaces: {0}', interfaces.join(' ')));
}

const closedNetwork = {
  restricted: message(
    'own net namespace with nothing but an empty loopback: what it reaches, it reaches through the gateway, which lets through to allowed hosts and the models',
  ),
  none: message(
    'own net namespace with nothing but an empty loopback: what it reaches, it reaches through the gateway, which lets through to the models alone',
  ),
} as const;

function judgeCapabilities({ processes, isCrowded }: ContainerFacts): VerdictLine {
  const fact = 'capabilities';
  if (isCrowded) {
    return { fact, status: 'broken', detail: message('there are too many processes to verify them all') };
  }
  const holder = processes.find((process) => process.capabilities !== 0n);
  if (processes.length === 0) {
    return { fact, status: 'broken', detail: message('no process of the container could be read') };
  }
  return holder
    ? {
        fact,
        status: 'broken',
        detail: message('process {0} holds capabilities {1}', holder.pid, holder.capabilities.toString(16)),
      }
    : {
        fact,
        status: 'holds',
        detail: message('none, in any set of any thread'),
      };
}

function judgeNoNewPrivileges({ processes }: ContainerFacts): VerdictLine {
  const fact = 'noNewPrivileges';
  const without = processes.find((process) => !process.noNewPrivileges);
  return without || processes.length === 0
    ? { fact, status: 'broken', detail: message('process {0} may gain privileges', without?.pid ?? '?') }
    : { fact, status: 'holds', detail: message('set: setuid programs give nothing') };
}

function judgeSeccomp({ processes }: ContainerFacts): VerdictLine {
  const fact = 'seccomp';
  const without = processes.find((process) => process.seccompMode !== 2);
  return without || processes.length === 0
    ? { fact, status: 'broken', detail: message('process {0} runs without a filter', without?.pid ?? '?') }
    : {
        fact,
        status: 'holds',
        detail: message('a filter is active on every process; what it denies is as asked for'),
      };
}
