import { lookup } from 'node:dns';
import { message } from '../../sandbox/message';
import { answerMilliseconds, connect, read, sendDatagram, type Attack } from '../inside/attack';
import { byKernel, keepsDoorShut, keepsHidden, oursAlone } from '../judges';
import type { Plan } from '../plan';
import { held, notHeld, type DoorKind, type Probe } from '../probe';
import type { Seen } from '../seen';
import { proxyProbes } from './networkProxy';

const group = 'network';

/**
 * By the calls themselves: Bun takes the name for a path. Some servers bind a name with the zeros behind it.
 * AF_UNIX and SOCK_STREAM of <bits/socket.h> are 1.
 */
function connectAbstract(system: Attack['system'], name: string): string {
  const address = Buffer.alloc(110);
  address.writeUInt16LE(1);
  address.write(name, 3, 'latin1');
  return [3 + name.length, address.length]
    .map((length) => system.call('connect', system.call('socket', 1, 1, 0), address, length))
    .join(' ');
}

const hasOwnNetwork: Probe['judge'] = byKernel(({ interfaces, sharedNamespaces }) => {
  const others = interfaces.filter((name) => name !== 'lo');
  return !sharedNamespaces.includes('net') && others.length === 0
    ? held(message('The host’s /proc shows a network of its own with nothing but an empty loopback.'))
    : notHeld(message('The host’s /proc shows: {0}', others.join(', ') || 'the host’s own network'));
});

/** What the system says to a name. */
function lookUp(name: string): Promise<string> {
  return new Promise((resolve) => {
    lookup(name, (error, address) => resolve(error?.code ?? address));
    setTimeout(resolve, answerMilliseconds, 'no answer');
  });
}

/** Ways out without a proxy. */
function direct(name: string, door: DoorKind, title: Probe['title'], attack: Probe['attack']): Probe {
  const id = `network.${name}`;
  const way = door === 'path' ? { places: ({ doors }: Plan) => [doors[id]] } : { apart: 'net' as const };
  return { id, group, door, title, attack, judge: keepsDoorShut, ...way };
}

const directProbes: readonly Probe[] = [
  direct('loopback', 'tcp', message('Reach a service on 127.0.0.1'), ({ door }) =>
    connect({ host: '127.0.0.1', port: Number(door) }),
  ),
  direct('loopback6', 'tcp6', message('Reach a service on ::1'), ({ door }) =>
    connect({ host: '::1', port: Number(door) }),
  ),
  direct('datagram', 'udp', message('Send a datagram to 127.0.0.1'), ({ door }) =>
    sendDatagram('127.0.0.1', Number(door)),
  ),
  direct('abstractSocket', 'abstract', message('Reach an abstract unix socket'), ({ door, system }) =>
    connectAbstract(system, door),
  ),
  direct('socket', 'path', message('Reach a unix socket in the home folder'), ({ door }) =>
    connect({ path: door }),
  ),
  {
    ...direct(
      'ownAddress',
      'lan',
      message('Reach a service on the computer’s own address'),
      ({ door, plan }) => connect({ host: plan.hostAddress ?? '', port: Number(door) }),
    ),
    inapplicable: ({ plan }) =>
      plan.hostAddress === undefined ? message('This computer has no address but loopback.') : undefined,
  },
  {
    ...{ id: 'network.routes', group, title: message('Have a network card: a way to other computers') },
    // nothing off this computer is contacted unless only the kernel can answer
    attack: ({ plan }) =>
      plan.mayTryRoutes ? connect({ host: '169.254.169.254', port: 80 }) : 'asked of the kernel',
    judge: hasOwnNetwork,
  },
  {
    ...{
      id: 'network.names',
      group,
      title: message('Have a name looked up (DNS, or a service that asks for it)'),
    },
    ...{ apart: 'net', places: ({ resolverSockets }) => resolverSockets },
    // a name that no name server knows, and only where none can be asked
    attack: ({ plan }) => (plan.mayTryRoutes ? lookUp(`${plan.token}.invalid`) : 'asked of the kernel'),
    judge: (seen, probe) => {
      const isApart = hasOwnNetwork(seen, probe);
      return isApart.result === 'held' ? keepsHidden(seen, probe) : isApart;
    },
  },
];

/** The port of the models inside, see `sandbox/gatewayPlan.ts`. */
const modelPort = 3129;

/** What shows that a request comes from this sandbox: it stands in opencode's configuration. */
function tokenHeader(provider: string): string {
  const text = read('/etc/opencode/opencode.json');
  const [, token = ''] = new RegExp(`"${provider}".*?"apiKey":"([^"]+)"`).exec(text) ?? [];
  return `Authorization: Bearer ${token}\r\n`;
}

/** The models of the gateway: it adds the key, so it must know who asks for what. Judged by what arrived there. */
function model(
  name: string,
  title: Probe['title'],
  ask: (provider: string, door: string) => { readonly line: string; readonly headers?: string },
  judge: Probe['judge'],
): Probe {
  return {
    ...{ id: `network.${name}`, group, title, judge, ...(judge === arrives ? {} : { leavesNoTrace: true }) },
    inapplicable: (seen) =>
      oursAlone(seen) ??
      (seen.plan.modelProvider === undefined || seen.network === 'open'
        ? message('No model is reached through a gateway here.')
        : undefined),
    attack: ({ plan, door }) => {
      // where there is no gateway, that port is somebody else's
      if (plan.modelProvider === undefined) return 'no model';
      const { line, headers = '' } = ask(plan.modelProvider, door);
      return connect(
        { host: '127.0.0.1', port: modelPort },
        `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`,
      );
    },
  };
}

const hasAsked = ({ modelRequests }: Seen, word: string): boolean =>
  modelRequests.some((request) => request.includes(word));

function neverAsked(word: string): Probe['judge'] {
  return (seen) => {
    if (!hasAsked(seen, 'control signed')) return notHeld(noModelControl);
    return hasAsked(seen, word)
      ? notHeld(message('The request arrived at the model’s server.'))
      : held(message('The model’s server got no such request.'));
  };
}

const noModelControl = message('The gateway did not pass on what it should, so its refusals prove nothing.');

const arrives: Probe['judge'] = (seen) =>
  hasAsked(seen, 'control signed')
    ? held(message('It arrived, with the key that the sandbox does not have.'))
    : notHeld(noModelControl);

const modelProbes: readonly Probe[] = [
  model(
    'modelControl',
    message('Ask for the list of models as the agent does (it must arrive, with the key)'),
    (provider) => ({ line: `GET /${provider}/models?case=control`, headers: tokenHeader(provider) }),
    arrives,
  ),
  model(
    'modelWithoutToken',
    message('Use the model without the sandbox’s own token'),
    (provider) => ({ line: `GET /${provider}/models?case=without-token` }),
    neverAsked('without-token'),
  ),
  {
    ...model(
      'modelRedirect',
      message('Have the model’s server send the gateway on to another address'),
      (provider, door) => ({
        line: `GET /${provider}/models?case=redirect&port=${door}`,
        headers: tokenHeader(provider),
      }),
      (seen, probe) =>
        hasAsked(seen, 'case=redirect') ? keepsDoorShut(seen, probe) : notHeld(noModelControl),
    ),
    // its first step arrives
    ...{ door: 'tcp' as const, leavesNoTrace: false },
  },
  model(
    'modelOtherPath',
    message('Ask the model’s server for something else than answers'),
    (provider) => ({ line: `GET /${provider}/files/other-path`, headers: tokenHeader(provider) }),
    neverAsked('other-path'),
  ),
];

export const networkProbes: readonly Probe[] = [...directProbes, ...proxyProbes, ...modelProbes];
