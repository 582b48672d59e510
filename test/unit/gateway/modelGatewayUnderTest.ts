import { createServer, type IncomingMessage, request, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { GatewayEffects, ModelHealth, SignedUpstream } from '../../../src/gateway/gateway';
import {
  createModelGateway,
  type ModelGatewayLimits,
  type ModelGatewayOptions,
} from '../../../src/gateway/modelGateway';
import { realEffects } from '../../../src/gateway/realEffects';

export const token = '0123456789abcdef'.repeat(4);
export const key = 'sk-THE-REAL-KEY';

/** What a model was asked. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
}

/** A server on loopback that stands for a model. */
export interface Upstream {
  readonly port: number;
  readonly seen: readonly Seen[];
  readonly server: Server;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const ends: (() => Promise<unknown>)[] = [];

/** Ends, after each test, all that the functions below have started. */
export function endServersAfterEach(): void {
  afterEach(async () => {
    await Promise.all(ends.splice(0).map((end) => end()));
  });
}

/** @param listener is not asked for the list of models: a gateway asks that by itself when it starts */
export async function startUpstream(listener: RequestListener): Promise<Upstream> {
  const seen: Seen[] = [];
  const server = createServer((incoming, response) => {
    const { method = '', url = '', rawHeaders, headers } = incoming;
    if (headers['user-agent'] === undefined && url.endsWith('/models')) {
      response.writeHead(404).end();
      return;
    }
    seen.push({ method, url, rawHeaders, headers });
    listener(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return { port: (server.address() as AddressInfo).port, seen, server };
}

export interface GatewayUnderTest {
  readonly port: number;
  readonly healths: readonly ModelHealth[];
  close(): Promise<void>;
}

/** A gateway on loopback, with one provider `p` that leads to `http://127.0.0.1:PORT/v1` if nothing else is said. */
export async function startGateway(
  upstream: Partial<SignedUpstream> & { readonly port?: number },
  options: {
    readonly silentMilliseconds?: number;
    readonly bodyBytes?: number;
    readonly limits?: Partial<ModelGatewayLimits>;
    readonly effects?: GatewayEffects;
    readonly siteProxy?: NonNullable<ModelGatewayOptions['siteProxy']>;
  } = {},
): Promise<GatewayUnderTest> {
  const healths: ModelHealth[] = [];
  const { port, ...rest } = upstream;
  const gateway = await createModelGateway(
    {
      listen: 'loopback',
      token,
      upstreams: [
        { providerId: 'p', baseUrl: `http://127.0.0.1:${port}/v1`, authentication: 'bearer', key, ...rest },
      ],
      ...(options.siteProxy && { siteProxy: options.siteProxy }),
    },
    options.effects ?? realEffects,
    { onModel: (health) => healths.push(health) },
    {
      ...(options.bodyBytes !== undefined && { bodyBytes: options.bodyBytes }),
      ...(options.silentMilliseconds !== undefined && { silentMilliseconds: options.silentMilliseconds }),
      ...options.limits,
    },
  );
  ends.push(() => gateway.close());
  return { port: gateway.port ?? 0, healths, close: () => gateway.close() };
}

const userAgent = 'opencode/test';

export interface Asking {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** Sends a request with the token, and resolves with its answer, whose body is not read yet. */
export function open(
  port: number,
  { method = 'POST', path, headers, body }: Asking = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = request({
      port,
      host: '127.0.0.1',
      method,
      agent: false,
      path: path ?? '/p/chat/completions',
      headers: { authorization: `Bearer ${token}`, 'user-agent': userAgent, ...headers },
    });
    asking.once('response', resolve);
    asking.on('error', reject);
    asking.end(body ?? (method === 'POST' ? '{}' : undefined));
  });
}

/** The same, with the body read to its end. */
export async function ask(port: number, asking: Asking = {}): Promise<Answer> {
  const answer = await open(port, asking);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
}

/** A connection of bytes, and what came on it so far. */
export function openRaw(
  port: number,
  bytes: string,
): { socket: Socket; text: () => string; closed: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  socket.on('error', () => undefined);
  socket.write(bytes);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  ends.push(() => {
    socket.destroy();
    return closed;
  });
  return { socket, text: () => text, closed };
}

/** The head of a request with the token, for {@link openRaw}. */
export function head(line: string, ...headers: string[]): string {
  return [
    line,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    `User-Agent: ${userAgent}`,
    ...headers,
    '',
    '',
  ].join('\r\n');
}
