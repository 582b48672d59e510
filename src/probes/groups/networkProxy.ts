import { message } from '../../sandbox/message';
import { askProxy, type Attack } from '../inside/attack';
import { keepsDoorShut, oursAlone } from '../judges';
import type { NetworkEntry } from '../../gateway/gateway';
import { held, notHeld, type DoorKind, type Inapplicable, type Probe } from '../probe';
import type { Seen } from '../seen';

const group = 'network';

/** Tricks on the proxy are only worth something when the proxy lets through what it should. */
function proxied(seen: Seen): ReturnType<Inapplicable> {
  return seen.network === 'restricted'
    ? undefined
    : message('There is no proxy in this sandbox; what it reaches by itself is judged above.');
}

const shutByProxy: Probe['judge'] = (seen, probe) =>
  seen.controlArrived
    ? keepsDoorShut(seen, probe)
    : notHeld(message('The proxy did not let through what it should, so its refusals prove nothing.'));

function proxy(
  name: string,
  title: Probe['title'],
  ask: (port: string, attack: Attack) => string,
  door: DoorKind = 'tcp',
): Probe {
  return {
    ...{ id: `network.${name}`, group, door, title },
    inapplicable: proxied,
    attack: (attack) => askProxy(ask(attack.door, attack)),
    judge: shutByProxy,
    isTried: (seen, probe) => isLogged(seen, probe),
  };
}

/** Our gateway's parser refuses it, before there is anything to note. */
function malformed(probe: Probe): Probe {
  return { ...probe, isTried: () => true, leavesNoTrace: true };
}

/** Our gateway notes each attempt, also those that name no host that could be meant. */
function isLogged({ target, networkEntries, plan }: Seen, { id }: Probe, host?: string): boolean {
  const port = plan.doors[id] ?? '';
  const isMeant = (entry: NetworkEntry): boolean =>
    String(entry.port) === port || entry.host.includes(`:${port}`);
  return (
    target !== 'ours' ||
    networkEntries.some((entry) => isMeant(entry) && (host === undefined || entry.host === host))
  );
}

/** @param logged the host as our gateway notes it; where that is another, how it was written leaves no trace */
function connecting(
  name: string,
  title: Probe['title'],
  host: string,
  { logged, door }: { readonly logged?: string; readonly door?: DoorKind } = {},
): Probe {
  return {
    ...proxy(name, title, tunnel(host), door),
    isTried: (seen, probe) => isLogged(seen, probe, logged ?? host.replace(/[[\]]/g, '')),
    ...(logged === undefined ? {} : { leavesNoTrace: true }),
  };
}

function tunnel(host: string): (port: string) => string {
  return (port) => `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\nprobe\r\n`;
}

const denied = (token: string): string => `${token}.invalid`;

const trickProbes: readonly Probe[] = [
  {
    ...{
      id: 'network.control',
      group,
      title: message('Reach the one address that is allowed (it must be reached)'),
    },
    inapplicable: proxied,
    attack: async ({ plan: { controlPort = '' } }) =>
      `${await askProxy(tunnel('127.0.0.1')(controlPort))} ${await askProxy(
        get(`http://127.0.0.1:${controlPort}/`, `127.0.0.1:${controlPort}`),
      )}`,
    judge: ({ controlArrived }) =>
      controlArrived
        ? held(message('The connection arrived: the proxy works, and its refusals mean something.'))
        : notHeld(message('The proxy did not let through what it should, so its refusals prove nothing.')),
  },
  connecting('proxyLoopback', message('CONNECT to 127.0.0.1'), '127.0.0.1'),
  connecting('proxyLocalhost', message('CONNECT to localhost'), 'localhost'),
  connecting('proxyLoopback6', message('CONNECT to [::1]'), '[::1]', { door: 'tcp6' }),
  connecting(
    'proxyMapped',
    message('CONNECT to an IPv4 address in the dress of IPv6'),
    '[::ffff:127.0.0.1]',
    { logged: '127.0.0.1' },
  ),
  connecting('proxyDecimal', message('CONNECT to a loopback address written as one number'), '2130706433', {
    logged: '127.0.0.1',
  }),
  connecting('proxyShort', message('CONNECT to a loopback address in short and octal forms'), '0177.1', {
    logged: '127.0.0.1',
  }),
  connecting('proxyZero', message('CONNECT to 0.0.0.0'), '0.0.0.0'),
  connecting('proxyOtherLoopback', message('CONNECT to another address of loopback'), '127.1.2.3', {
    door: 'tcpOther',
  }),
  connecting('proxyTrailingDot', message('CONNECT to localhost with a trailing dot'), 'localhost.', {
    logged: 'localhost',
  }),
  malformed(
    proxy(
      'proxyUnicode',
      message('CONNECT to localhost in letters that only look different'),
      tunnel('ⓛocalhost'),
    ),
  ),
  malformed(
    proxy('proxyFullWidth', message('CONNECT to 127.0.0.1 with full-width dots'), tunnel('127。0。0。1')),
  ),
  {
    ...proxy(
      'proxyPrivateName',
      message('CONNECT to an allowed name that leads to a private address'),
      () => '',
      'named',
    ),
    inapplicable: (seen) =>
      proxied(seen) ??
      (seen.plan.hostName === undefined
        ? message('This computer has no name that leads to itself.')
        : undefined),
    attack: ({ door, plan }) => askProxy(tunnel(plan.hostName ?? '')(door)),
  },
  proxy('proxyUserInfo', message('A request for an address behind a user name'), (port, { plan }) =>
    get(`http://${denied(plan.token)}@127.0.0.1:${port}/`, `127.0.0.1:${port}`),
  ),
  proxy('proxyAbsoluteForm', message('A request for loopback with another Host'), (port, { plan }) =>
    get(`http://127.0.0.1:${port}/`, denied(plan.token)),
  ),
  {
    ...proxy(
      'proxyHostMismatch',
      message('A request for another host whose Host is loopback'),
      (port, { plan }) => get(`http://${denied(plan.token)}/`, `127.0.0.1:${port}`),
    ),
    isTried: ({ target, networkEntries, plan }) =>
      target !== 'ours' || networkEntries.some(({ host }) => host === denied(plan.token)),
  },
  proxy('proxyTwoHosts', message('A request with two Hosts'), (port, { plan }) =>
    get(`http://127.0.0.1:${port}/`, `${denied(plan.token)}\r\nHost: 127.0.0.1:${plan.controlPort ?? ''}`),
  ),
  connecting('proxyOtherPort', message('CONNECT to another port of the allowed address'), '127.0.0.1'),
  malformed(
    proxy(
      'proxySmuggling',
      message('Smuggle a second request behind one that is allowed'),
      (port, { plan }) => smuggle(plan.controlPort ?? '', port),
    ),
  ),
  proxy(
    'proxyPipeline',
    message('Send a second request on the same connection'),
    (port, { plan }) =>
      get(`http://127.0.0.1:${plan.controlPort ?? ''}/`, `127.0.0.1:${plan.controlPort ?? ''}`) +
      get(`http://127.0.0.1:${port}/`, `127.0.0.1:${port}`),
  ),
  {
    ...proxy('proxyOwnAddress', message('CONNECT to the computer’s own address'), () => '', 'lan'),
    inapplicable: (seen) =>
      proxied(seen) ??
      (seen.plan.hostAddress === undefined
        ? message('This computer has no address but loopback.')
        : undefined),
    attack: ({ door, plan }) => askProxy(tunnel(plan.hostAddress ?? '')(door)),
  },
];

function get(address: string, host: string): string {
  return `GET ${address} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
}

function smuggle(controlPort: string, port: string): string {
  const hidden = get(`http://127.0.0.1:${port}/`, `127.0.0.1:${port}`);
  const allowed = `127.0.0.1:${controlPort}`;
  const lengths = 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n';
  return `POST http://${allowed}/ HTTP/1.1\r\nHost: ${allowed}\r\n${lengths}\r\n0\r\n\r\n${hidden}`;
}

/** Whether the gateway's own log has an attempt at this host that it let through. */
function deniedByLog(isHost: (host: string) => boolean): Probe['judge'] {
  return ({ networkEntries }) => {
    const entries = networkEntries.filter(({ host }) => isHost(host));
    if (entries.length === 0)
      return notHeld(message('The gateway’s log has no such attempt, so it proves nothing.'));
    return entries.every(({ verdict }) => verdict === 'denied')
      ? held(message('The gateway’s log on the host has the attempt, and that it was denied.'))
      : notHeld(message('The gateway’s log on the host has the attempt, and that it was let through.'));
  };
}

/** Judged by the gateway's log: here the other end would not be this computer. */
const loggedProbes: readonly Probe[] = [
  {
    ...{ id: 'network.metadata', group, title: message('Ask the proxy for a cloud’s metadata') },
    inapplicable: (seen) => oursAlone(seen) ?? proxied(seen),
    attack: () => askProxy(get('http://169.254.169.254/latest/meta-data/', '169.254.169.254')),
    judge: deniedByLog((host) => host === '169.254.169.254'),
  },
  {
    ...{ id: 'network.deniedHost', group, title: message('Ask the proxy for a host that is not allowed') },
    inapplicable: (seen) => oursAlone(seen) ?? proxied(seen),
    attack: ({ plan }) => askProxy(tunnel(`host-${denied(plan.token)}`)('443')),
    judge: deniedByLog((host) => host.startsWith('host-') && host.endsWith('.invalid')),
  },
];

/** Ways out by the proxy. */
export const proxyProbes: readonly Probe[] = [...trickProbes, ...loggedProbes];
