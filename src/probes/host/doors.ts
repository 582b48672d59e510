import { createSocket } from 'node:dgram';
import { createServer, isIPv4, type Server } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { parseHostEntry } from '../../gateway/hostEntry';
import { readProc } from '../../host/procfs';
import type { DoorKind, Probe } from '../probe';

/** Another address of loopback than the usual one. */
const otherLoopback = '127.1.2.3';

/** Where this computer can be reached besides loopback, without leaving it. */
export interface OwnAddresses {
  readonly hostAddress: string | undefined;
  readonly hostName: string | undefined;
  /** to which the name leads */
  readonly namedAddress: string | undefined;
}

/** Finds this computer's addresses. No name server is asked. */
export function ownAddresses(): OwnAddresses {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const hostAddress = own.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  const name = hostname().toLowerCase();
  const listed = addressOf(name);
  const isOwn = own.some(({ address }) => address === listed) || listed?.startsWith('127.') === true;
  const usable = isOwn && isHostName(name);
  return {
    hostAddress,
    hostName: usable ? name : undefined,
    namedAddress: usable ? listed : undefined,
  };
}

/** The IPv4 address of a name in the file hosts(5). */
function addressOf(name: string): string | undefined {
  const lines = (readProc('self/root/etc/hosts') ?? '')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').split(/\s+/));
  return lines.find(([address = '', ...names]) => isIPv4(address) && names.includes(name))?.[0];
}

function isHostName(name: string): boolean {
  try {
    return parseHostEntry(name).kind === 'name';
  } catch {
    return false;
  }
}

/** Places on the host at which it waits for what must not arrive: one for each probe, so that it is known whose it was. */
export class Doors {
  private readonly counts = new Map<string, number>();
  private readonly closers: (() => void)[] = [];
  /** by the id of the probe: a port, or a socket's name or path */
  readonly addresses: Record<string, string> = {};

  /**
   * Opens the doors of all probes that need one.
   * @param folder for sockets; short
   */
  static async open(
    probes: readonly Probe[],
    folder: string,
    token: string,
    own: OwnAddresses,
  ): Promise<Doors> {
    const doors = new Doors();
    const needed = probes.flatMap(({ id, door }) => (door === undefined ? [] : [{ id, door }]));
    try {
      for (const [index, { id, door }] of needed.entries()) {
        const address = await doors.openOne(id, door, `${folder}/${index}`, `${token}-${index}`, own);
        if (address !== undefined) doors.addresses[id] = address;
      }
    } catch (error) {
      doors.close();
      throw error;
    }
    return doors;
  }

  /** How often somebody came, by the id of the probe. */
  get arrivals(): ReadonlyMap<string, number> {
    return this.counts;
  }

  /** A further door. @returns its port on 127.0.0.1 */
  openControl(id: string): Promise<string> {
    return this.listen(id, { host: '127.0.0.1', port: 0 });
  }

  close(): void {
    this.closers.forEach((close) => close());
  }

  private openOne(
    id: string,
    kind: DoorKind,
    path: string,
    name: string,
    { hostAddress, namedAddress }: OwnAddresses,
  ): Promise<string | undefined> {
    switch (kind) {
      case 'tcp':
        return this.listen(id, { host: '127.0.0.1', port: 0 });
      case 'tcpOther':
        return this.listen(id, { host: otherLoopback, port: 0 });
      case 'tcp6':
        // a computer may have no IPv6; then nothing arrives, which is as it should be
        return this.listen(id, { host: '::1', port: 0 }).catch(() => '1');
      case 'lan':
        return hostAddress === undefined
          ? Promise.resolve(undefined)
          : this.listen(id, { host: hostAddress, port: 0 });
      case 'named':
        return namedAddress === undefined
          ? Promise.resolve(undefined)
          : this.listen(id, { host: namedAddress, port: 0 });
      case 'udp':
        return this.receive(id);
      case 'abstract':
        return this.listen(id, { path: `\0${name}` }).then(() => name);
      case 'path':
        return this.listen(id, { path }).then(() => path);
    }
  }

  private listen(id: string, where: { host?: string; port?: number; path?: string }): Promise<string> {
    const server: Server = createServer((socket) => {
      this.came(id);
      socket.on('error', () => undefined);
      socket.resume();
      socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(where, () => {
        this.closers.push(() => server.close());
        const address = server.address();
        resolve(typeof address === 'object' && address ? String(address.port) : '');
      });
    });
  }

  private receive(id: string): Promise<string> {
    const socket = createSocket('udp4');
    socket.on('message', () => this.came(id));
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(0, '127.0.0.1', () => {
        this.closers.push(() => socket.close());
        resolve(String(socket.address().port));
      });
    });
  }

  private came(id: string): void {
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
  }
}
