import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  request as startRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import type { GatewayEffects } from '../../src/gateway/gateway';
import { makeSelfSigned } from './selfSigned';

/** What a server of the world has seen. */
export interface SeenRequest {
  readonly host: string;
  readonly url: string;
  readonly authorization: string | undefined;
}

/**
 * Servers on loopback that stand for the world, with names, public addresses, and certificates of an authority of
 * their own. `effects` leads a gateway there: names are resolved to addresses as in the world, so that its rules are
 * the real ones, and only the last step, the connection, goes to loopback.
 */
export class World {
  /** names that were asked for, in order */
  readonly queries: string[] = [];
  /** `address:port` of each connection that was opened */
  readonly connections: string[] = [];
  readonly requests: SeenRequest[] = [];
  /** what went through its proxy */
  readonly proxied: string[] = [];
  /** PEM file of the authority */
  readonly authority: string;
  private readonly addresses = new Map<string, string>();
  private readonly ports = new Map<string, number>();
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();

  /** @param folder for the authority's files; made here */
  constructor(private readonly folder: string) {
    mkdirSync(folder, { mode: 0o700 });
    this.authority = join(folder, 'authority.pem');
    makeSelfSigned({
      ...{ name: 'Test authority', extension: 'keyUsage=critical,keyCertSign' },
      ...{ key: join(folder, 'authority.key'), certificate: this.authority },
    });
  }

  /** How a gateway meets this world. */
  get effects(): GatewayEffects {
    return {
      resolve: (host) => this.resolve(host),
      connect: (address, port) => this.connect(address, port),
      authorities: [readFileSync(this.authority, 'utf8')],
    };
  }

  /** Gives a name an address. */
  name(host: string, address: string): void {
    this.addresses.set(host, address);
  }

  /** Adds a web server, reached by https on 443 and http on 80, or on one port of its own. */
  async site(host: string, address: string, listener: RequestListener, httpsPort = 443): Promise<void> {
    this.name(host, address);
    const seen: RequestListener = (request, response) => {
      const { url = '', headers } = request;
      this.requests.push({ host: headers.host ?? '', url, authorization: headers.authorization });
      listener(request, response);
    };
    const secure = createHttpsServer(this.certificateFor(host), seen);
    this.ports.set(`${address}:${httpsPort}`, await this.listen(secure));
    this.ports.set(`${address}:80`, await this.listen(createHttpServer(seen)));
  }

  /**
   * Adds a proxy that lets in who shows it this value of Proxy-Authorization, and leads to the sites.
   * @returns its URL, on loopback; what it let through is in `proxied`, as `METHOD target`
   */
  async siteProxy(authorization: string): Promise<string> {
    const isLetThrough = ({ headers, method, url }: IncomingMessage): boolean => {
      const isKnown = headers['proxy-authorization'] === authorization;
      if (isKnown) this.proxied.push(`${method} ${url}`);
      return isKnown;
    };
    const proxy = createHttpServer((incoming, response) => {
      if (!isLetThrough(incoming)) {
        response.writeHead(407, { 'proxy-authenticate': 'Basic realm="site"' }).end();
        return;
      }
      const { host, pathname } = new URL(incoming.url ?? '');
      const port = this.loopbackPort(host, 80);
      startRequest({ host: '127.0.0.1', port, path: pathname, headers: { host } }, (answer) => {
        response.writeHead(answer.statusCode ?? 502);
        answer.pipe(response);
      }).end();
    });
    proxy.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
      client.on('error', () => undefined);
      if (!isLetThrough(incoming)) {
        client.end('HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="site"\r\n\r\n');
        return;
      }
      const [host = '', port = ''] = (incoming.url ?? '').split(':');
      const upstream = connect(this.loopbackPort(host, Number(port)), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.write(head);
        client.pipe(upstream).pipe(client);
      }).on('error', () => client.destroy());
    });
    return `http://127.0.0.1:${await this.listen(proxy)}`;
  }

  async close(): Promise<void> {
    await Promise.all(
      this.servers.map(
        (server) =>
          new Promise((resolve) => {
            server.close(resolve);
            server.closeAllConnections();
            // a tunnel is no connection of the server's any more
            this.sockets.forEach((socket) => socket.destroy());
          }),
      ),
    );
  }

  private resolve(host: string): Promise<readonly string[]> {
    this.queries.push(host);
    const address = this.addresses.get(host);
    return address === undefined
      ? Promise.reject(Object.assign(new Error(`no such name: ${host}`), { code: 'ENOTFOUND' }))
      : Promise.resolve([address]);
  }

  private connect(address: string, port: number): Socket {
    this.connections.push(`${address}:${port}`);
    return connect(this.loopbackPort(address, port), '127.0.0.1');
  }

  /** @param host a name or an address of this world */
  private loopbackPort(host: string, port: number): number {
    // nobody listens on port 1: refused, as where nobody is in the world
    return this.ports.get(`${this.addresses.get(host) ?? host}:${port}`) ?? 1;
  }

  private async listen(server: Server): Promise<number> {
    this.servers.push(server);
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  private certificateFor(host: string): { key: string; cert: string } {
    const file = (suffix: string): string => join(this.folder, `${host}.${suffix}`);
    writeFileSync(file('ext'), `subjectAltName=DNS:${host}\n`);
    this.openssl([
      ...[
        'req',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-subj',
        `/CN=${host}`,
      ],
      ...['-keyout', `${host}.key`, '-out', `${host}.csr`],
    ]);
    this.openssl([
      ...['x509', '-req', '-in', `${host}.csr`, '-CA', 'authority.pem', '-CAkey', 'authority.key'],
      ...['-CAcreateserial', '-days', '2', '-extfile', `${host}.ext`, '-out', `${host}.pem`],
    ]);
    return { key: readFileSync(file('key'), 'utf8'), cert: readFileSync(file('pem'), 'utf8') };
  }

  private openssl(argv: readonly string[]): void {
    execFileSync('openssl', argv, { cwd: this.folder, stdio: 'pipe' });
  }
}
