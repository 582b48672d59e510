import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NetworkEntry, NetworkReason } from './gateway';

/** Why something that the agent asked for does not happen. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  /** @param address the private address to which the name leads, for `privateAddress` */
  constructor(
    readonly reason: NetworkReason,
    readonly address?: string,
  ) {
    super(reason);
  }
}

/** What each reason means: the verdict in the log, the status for the agent, and the sentence for it. */
const meanings: Record<NetworkReason, [NetworkEntry['verdict'], number, (host: string) => string]> = {
  notAllowed: [
    'denied',
    403,
    (host) =>
      `The sandbox denied this connection because ${host} is not on its allow-list; the user can allow it in the Network Log of Sandboxed Agent.`,
  ],
  privateAddress: [
    'denied',
    403,
    (host) =>
      `The sandbox denied this connection because ${host} leads to this computer or a private network; the user can allow that address in the Network Log of Sandboxed Agent.`,
  ],
  malformed: ['denied', 400, () => 'The sandbox denied this request because it is malformed.'],
  otherServerName: [
    'denied',
    403,
    (host) => `The sandbox denied this connection because it does not name ${host} as its TLS server.`,
  ],
  notTls: ['denied', 403, () => 'The sandbox denied this tunnel because only TLS may go through it.'],
  notSupported: [
    'denied',
    501,
    () =>
      'The sandbox denied this request because it lets through only HTTP without an upgrade, and TLS in a tunnel.',
  ],
  tooManyConnections: [
    'failed',
    503,
    () => 'The sandbox has too many connections open; close some, or try again later.',
  ],
  nameNotFound: ['failed', 502, (host) => `The sandbox allows ${host}, but no address was found for it.`],
  refused: ['failed', 502, (host) => `The sandbox allows ${host}, but it refused the connection.`],
  timedOut: ['failed', 504, (host) => `The sandbox allows ${host}, but it did not answer in time.`],
  siteProxy: [
    'failed',
    502,
    (host) => `The sandbox allows ${host}, but the proxy of this site did not let the connection through.`,
  ],
  broken: ['failed', 502, (host) => `The sandbox allows ${host}, but the connection to it broke.`],
};

/** Statuses that are ours alone, so that a client's log can be read. */
const statusTexts: Record<number, string> = {
  400: 'Bad Request',
  403: 'Forbidden',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Whether the sandbox denied it, or it failed on the way. */
export function verdictOf(reason: NetworkReason): NetworkEntry['verdict'] {
  return meanings[reason][0];
}

/** The `code` of an error of Node, or an empty text. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Whether a resolver has no address for a name; codes are those of c-ares and of getaddrinfo(3). */
export function isNameNotFound(error: unknown): boolean {
  return ['ENOTFOUND', 'EAI_AGAIN', 'ENODATA', 'EAI_NODATA', 'EAI_NONAME', 'EAI_FAIL'].includes(
    codeOf(error),
  );
}

/** What any error on the way to a server means. Codes are those of libuv. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) {
    return error;
  }
  const code = codeOf(error);
  if (isNameNotFound(error)) {
    return new Refusal('nameNotFound');
  }
  return new Refusal(code === 'ECONNREFUSED' ? 'refused' : code === 'ETIMEDOUT' ? 'timedOut' : 'broken');
}

/** Tells the agent in an ordinary answer, after which the connection ends. */
export function answerRefusal(response: ServerResponse, reason: NetworkReason, host: string): void {
  const { status, body } = answerOf(reason, host);
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': body.length,
    Connection: 'close',
  });
  response.end(body);
}

/**
 * Tells the agent on a bare connection, and ends it.
 * @param lingerMilliseconds how long the agent may go on sending, so that its end does not lose the answer
 */
export function writeRefusal(
  client: Socket,
  reason: NetworkReason,
  host: string,
  lingerMilliseconds: number,
): void {
  const { status, body } = answerOf(reason, host);
  const head = [
    `HTTP/1.1 ${status} ${statusTexts[status] ?? ''}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  endWith(client, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]), lingerMilliseconds);
}

/** Writes the last bytes for a client, drops what it still sends, and ends the connection. */
export function endWith(client: Socket, bytes: Buffer, lingerMilliseconds: number): void {
  client.end(bytes);
  client.resume();
  const timer = setTimeout(() => client.destroy(), lingerMilliseconds);
  client.once('end', () => client.destroySoon()).once('close', () => clearTimeout(timer));
  if (client.readableEnded) client.destroySoon();
}

const contentType = 'text/plain; charset=utf-8';

function answerOf(reason: NetworkReason, host: string): { status: number; body: Buffer } {
  const [, status, sentence] = meanings[reason];
  return { status, body: Buffer.from(`${sentence(host)}\n`) };
}
