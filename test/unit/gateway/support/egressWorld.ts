import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import {
  createEgressProxy,
  type EgressProxy,
  type EgressProxyOptions,
} from '../../../../src/gateway/egressProxy';
import type { GatewayEffects, NetworkEntry } from '../../../../src/gateway/gateway';
import { waitUntil } from '../../../support/waitUntil';
import { makeSelfSigned } from '../../../support/selfSigned';

/** Public addresses, as far as the rules know. */
export const publicAddress = '93.184.216.34';
export const otherPublicAddress = '1.1.1.1';

/** A certificate of its own authority, which openssl makes, because Node can't. */
export async function makeCertificate(
  folder: string,
  ...names: string[]
): Promise<{ key: string; cert: string }> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const alternatives = names.map((name) => `DNS:${name}`).join(',');
  makeSelfSigned({ name: 'test', extension: `subjectAltName=${alternatives}`, key, certificate: cert });
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
}

/** The world as the gateway sees it: names, addresses and servers, all of them on loopback. */
export class EgressWorld {
  /** what the resolver was asked */
  readonly queries: string[] = [];
  /** where connections went, as ADDRESS:PORT */
  readonly connections: string[] = [];
  readonly entries: NetworkEntry[] = [];
  readonly folder = mkdtempSync(join(realpathSync(tmpdir()), 'egress-test-'));
  private readonly names = new Map<string, readonly (readonly string[])[]>();
  private readonly ports = new Map<string, number>();
  private readonly ends: (() => unknown)[] = [];
  private readonly closing: (() => Promise<void>)[] = [];
  authorities: string[] = [];

  get socket(): string {
    return join(this.folder, 'proxy');
  }

  readonly effects: GatewayEffects = {
    resolve: (host) => {
      this.queries.push(host);
      const answers = this.names.get(host) ?? [];
      const asked = this.queries.filter((other) => other === host).length;
      const answer = answers[Math.min(asked, answers.length) - 1];
      return answer
        ? Promise.resolve(answer)
        : Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }));
    },
    connect: (address, port) => {
      this.connections.push(`${address}:${port}`);
      const served = this.ports.get(`${address}:${port}`);
      // nothing listens on port 1: refused, as by a host
      return connect({ host: '127.0.0.1', port: served ?? 1, allowHalfOpen: true });
    },
  };

  /** In the place of `effects.connect`: an address from where nothing comes back. */
  readonly neverConnecting: GatewayEffects['connect'] = (address, port) => {
    this.connections.push(`${address}:${port}`);
    return new Socket();
  };

  /** Makes a name known; with several answers, the resolver gives one after the other. */
  name(host: string, ...answers: readonly string[][]): void {
    this.names.set(host, answers);
  }

  /** Lets a server answer at an address. */
  async serve(address: string, port: number, server: Server): Promise<void> {
    server.on('connection', (socket: Socket) => this.ends.push(() => socket.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.ends.push(() => server.close());
    this.ports.set(`${address}:${port}`, (server.address() as AddressInfo).port);
  }

  /** A server that keeps what it gets, and says nothing. */
  async serveSilently(address: string, port: number): Promise<{ bytes: () => Buffer; sockets: Socket[] }> {
    const chunks: Buffer[] = [];
    const sockets: Socket[] = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket);
      socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
    });
    await this.serve(address, port, server);
    return { bytes: () => Buffer.concat(chunks), sockets };
  }

  /** @param connectStep in the place of `effects.connect` */
  async start(
    options: Partial<EgressProxyOptions> = {},
    connectStep: GatewayEffects['connect'] = this.effects.connect,
  ): Promise<EgressProxy> {
    const proxy = await createEgressProxy(
      { socket: this.socket, allowedHosts: [], ...options },
      { ...this.effects, connect: connectStep, authorities: this.authorities },
      (entry) => this.entries.push(entry),
    );
    this.closing.push(() => proxy.close());
    return proxy;
  }

  /** A client's connection to the proxy. */
  connect(): Client {
    const client = new Client(connect({ path: this.socket, allowHalfOpen: true }));
    this.ends.push(() => client.socket.destroy());
    return client;
  }

  /** Sends these bytes and gives everything that comes back until the proxy ends the connection. */
  async exchange(...bytes: (string | Buffer)[]): Promise<string> {
    const client = this.connect();
    bytes.forEach((part) => client.socket.write(part));
    return client.untilEnd();
  }

  /** A tunnel that the proxy has opened. */
  async tunnel(authority: string): Promise<Client> {
    const client = this.connect();
    client.socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
    const head = await client.until('\r\n\r\n');
    if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(head + (await client.untilEnd()));
    return client;
  }

  /** Waits for what has become of an attempt. */
  over(id = 1): Promise<NetworkEntry> {
    return waitUntil(
      `attempt ${id} is over`,
      () => this.entries.find((entry) => entry.id === id && entry.durationMilliseconds !== undefined),
      10_000,
      () => JSON.stringify(this.entries),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.closing.map((close) => close()));
    this.ends.forEach((end) => end());
    rmSync(this.folder, { recursive: true });
  }
}

/** A client that reads as text. */
export class Client {
  private received = '';
  private hasEnded = false;
  private onChange: () => void = () => undefined;

  constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
    this.startReading();
    socket.on('end', () => this.ended()).on('close', () => this.ended());
  }

  startReading(): void {
    this.socket.on('readable', () => this.read());
  }

  /** What comes stays in the socket, and then on the way. */
  stopReading(): void {
    this.socket.removeAllListeners('readable');
    this.socket.pause();
  }

  /** Everything up to and including `mark`. @throws Error with what came instead */
  async until(mark: string): Promise<string> {
    while (!this.received.includes(mark)) {
      if (this.hasEnded) throw new Error(`ended after ${JSON.stringify(this.received)}`);
      await this.change();
    }
    const end = this.received.indexOf(mark) + mark.length;
    const text = this.received.slice(0, end);
    this.received = this.received.slice(end);
    return text;
  }

  async untilEnd(): Promise<string> {
    while (!this.hasEnded) await this.change();
    return this.received;
  }

  /** TLS from here to the server behind the tunnel. */
  async secure(options: { servername?: string; ca?: string }): Promise<TLSSocket> {
    this.stopReading();
    this.socket.removeAllListeners('end');
    const secure = connectTls({
      socket: this.socket,
      rejectUnauthorized: options.ca !== undefined,
      ...options,
    });
    await once(secure, 'secureConnect');
    return secure;
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.onChange = resolve;
    });
  }

  private read(): void {
    for (let chunk: Buffer | null; (chunk = this.socket.read() as Buffer | null) !== null;) {
      this.received += chunk.toString('latin1');
    }
    this.onChange();
  }

  private ended(): void {
    this.hasEnded = true;
    this.onChange();
  }
}
