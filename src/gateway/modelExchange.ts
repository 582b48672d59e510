import {
  type ClientRequest,
  type IncomingMessage,
  request as startRequest,
  type ServerResponse,
} from 'node:http';
import { formatMessage } from '../sandbox/message';
import type { ModelHealth, SignedUpstream } from './gateway';
import { isFinalStatus } from './headers';
import type { ModelAgent } from './modelConnection';
import { withoutKey } from './keyEcho';
import { answerError } from './modelErrors';
import { requestHeaders, responseHeaders } from './modelHeaders';
import {
  healthOfAnswer,
  healthOfError,
  modelHealthMessage,
  nonsenseHealth,
  silentHealth,
} from './modelHealth';
import { watchSilence } from './modelSilence';
import { passAnswer } from './passAnswer';

/** A provider while its gateway runs. */
export interface Provider {
  readonly upstream: SignedUpstream;
  readonly agent: ModelAgent;
}

export interface ExchangeLimits {
  /** how much a request may carry */
  readonly bodyBytes: number;
  /** nothing for so long is told, and again after each further such while; the request goes on */
  readonly silentMilliseconds: number;
}

/** What goes on between a client and a model. */
export interface ModelExchange {
  readonly provider: Provider;
  /** below the base URL, judged, with its query */
  readonly path: string;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly limits: ExchangeLimits;
  /** hears what the model did, possibly several times */
  readonly onHealth: (health: ModelHealth) => void;
  /** the client left while the model was told to be silent: nobody will know how that would have ended */
  readonly onSilenceLeft: (providerId: string) => void;
}

/** The largest head of an answer; Node's usual 16 KiB is less than some front ends send. */
const maximumHeadBytes = 64 * 1024;

/**
 * Passes a request on, signed, and the answer back, byte by byte and no faster than it is read. What ends on one side
 * ends on the other: a client that leaves ends the request, a model that breaks off breaks the client's connection.
 */
export function passOn(exchange: ModelExchange): void {
  const { incoming, response, limits } = exchange;
  const { providerId } = exchange.provider.upstream;
  if (Number(incoming.headers['content-length'] ?? 0) > limits.bodyBytes) return answerTooLong(response);
  if (incoming.headers.expect !== undefined) response.writeContinue();
  const outgoing = sign(exchange);
  const silence = watchSilence(limits.silentMilliseconds, (seconds) =>
    tellSilence(exchange, outgoing, seconds),
  );
  let isOver = false;
  const finish = (): void => {
    isOver = true;
    silence.stop();
    outgoing.destroy();
  };
  const onBroken = (health: ModelHealth): void => {
    if (isOver) return;
    answerBroken(exchange, health);
    finish();
  };
  const onError = (error: Error): void => onBroken(healthOfError(providerId, error, Date.now()));
  response.once('close', () => {
    if (!isOver && silence.end()) exchange.onSilenceLeft(providerId);
    finish();
  });
  outgoing.on('error', (error) => {
    // later on it is the answer that breaks
    if (!response.headersSent) onError(error);
  });
  receiveAnswer(exchange, outgoing, silence.end, onBroken);
  incoming.on('data', silence.end).once('end', silence.end);
  sendBody(incoming, outgoing, limits.bodyBytes, () => {
    if (response.headersSent) response.destroy();
    else answerTooLong(response);
    finish();
  });
}

/** @param onBroken may be called several times */
function receiveAnswer(
  exchange: ModelExchange,
  outgoing: ClientRequest,
  endSilence: () => boolean,
  onBroken: (health: ModelHealth) => void,
): void {
  const { providerId } = exchange.provider.upstream;
  outgoing.once('upgrade', (_answer, socket) => {
    socket.destroy();
    onBroken(nonsenseHealth(providerId, Date.now()));
  });
  outgoing.once('response', (answer) => {
    answer.once('error', (error) => onBroken(healthOfError(providerId, error, Date.now())));
    try {
      if (!isFinalStatus(answer.statusCode)) throw new RangeError('a status that is none');
      sendAnswer(exchange, answer, endSilence);
    } catch {
      // what a server answers never ends the gateway
      onBroken(nonsenseHealth(providerId, Date.now()));
      if (!exchange.response.writableEnded) exchange.response.destroy();
    }
  });
}

/** @returns whether it is one of the model: not while the client does not read, or has not sent all */
function tellSilence(
  { provider, incoming, response, onHealth }: ModelExchange,
  outgoing: ClientRequest,
  seconds: number,
): boolean {
  const isAsked = incoming.readableEnded || outgoing.writableNeedDrain;
  if (response.writableNeedDrain || !isAsked) return false;
  onHealth(silentHealth(provider.upstream.providerId, seconds, Date.now()));
  return true;
}

function sign({ provider: { upstream, agent }, path, incoming }: ModelExchange): ClientRequest {
  const base = new URL(upstream.baseUrl);
  return startRequest({
    agent,
    method: incoming.method,
    path: `${base.pathname === '/' ? '' : base.pathname}${path}`,
    headers: [...requestHeaders(incoming.rawHeaders, upstream, base.host), ...framing(incoming)],
    maxHeaderSize: maximumHeadBytes,
  });
}

/** The length of the body, as the sandbox announced it. */
function framing({ method, headers }: IncomingMessage): string[] {
  if (method === 'GET') return [];
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  return ['Content-Length', headers['content-length'] ?? '0'];
}

/**
 * Not with `pipeline`: that would end the connection of a client whose request can't be sent, before it was answered.
 */
function sendBody(
  incoming: IncomingMessage,
  outgoing: ClientRequest,
  maximumBytes: number,
  onTooLong: () => void,
): void {
  // what is not wanted any more is read and dropped: the connection serves for the next request
  outgoing.once('close', () => incoming.unpipe(outgoing).resume());
  if (incoming.method === 'GET') {
    outgoing.end();
    incoming.resume();
    return;
  }
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    const before = bytes;
    bytes += chunk.length;
    if (before <= maximumBytes && bytes > maximumBytes) onTooLong();
  });
  incoming.pipe(outgoing);
}

/** @param endSilence is called for whatever comes, and says whether a silence was told before */
function sendAnswer(
  { provider, response, onHealth }: ModelExchange,
  answer: IncomingMessage,
  endSilence: () => boolean,
): void {
  const { providerId, key } = provider.upstream;
  const status = answer.statusCode ?? 502;
  const tell = (): void => {
    onHealth(healthOfAnswer(providerId, status, answer.headers['retry-after'], Date.now()));
  };
  endSilence();
  tell();
  response.writeHead(status, withoutKey(responseHeaders(answer.rawHeaders), key));
  // a stream may take long to its first byte
  response.flushHeaders();
  answer.on('data', () => {
    if (endSilence()) tell();
  });
  passAnswer(answer, response, key, () => onHealth(nonsenseHealth(providerId, Date.now()))).catch(() => {
    // whatever broke, both ends know
  });
}

/** With an answer under way, `passAnswer` breaks the client's connection, as the model's broke. */
function answerBroken({ response, onHealth }: ModelExchange, health: ModelHealth): void {
  onHealth(health);
  const problem = modelHealthMessage(health);
  if (problem !== undefined && !response.headersSent) answerError(response, 502, formatMessage(problem));
}

function answerTooLong(response: ServerResponse): void {
  answerError(response, 413, 'The request is longer than the sandbox passes on.');
}
