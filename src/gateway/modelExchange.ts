import {
  type ClientRequest,
  type IncomingMessage,
  request as startRequest,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { formatMessage } from '../sandbox/message';
import type { ModelHealth, SignedUpstream } from './gateway';
import type { ModelAgent } from './modelConnection';
import { answerError } from './modelErrors';
import { requestHeaders, responseHeaders } from './modelHeaders';
import { healthOfAnswer, healthOfError, modelHealthMessage, silentHealth } from './modelHealth';
import { watchSilence } from './modelSilence';

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
}

/** The largest head of an answer; Node's usual 16 KiB is less than some front ends send. */
const maximumHeadBytes = 64 * 1024;

/**
 * Passes a request on, signed, and the answer back, byte by byte and no faster than it is read. What ends on one side
 * ends on the other: a client that leaves ends the request, a model that breaks off breaks the client's connection.
 */
export function passOn(exchange: ModelExchange): void {
  const { incoming, response, limits, onHealth } = exchange;
  const { providerId } = exchange.provider.upstream;
  if (Number(incoming.headers['content-length'] ?? 0) > limits.bodyBytes) return answerTooLong(response);
  if (incoming.headers.expect !== undefined) response.writeContinue();
  const outgoing = sign(exchange);
  const silence = watchSilence(limits.silentMilliseconds, (seconds) => {
    // a client that does not read is no silence of the model
    if (!response.writableNeedDrain) onHealth(silentHealth(providerId, seconds, Date.now()));
  });
  let isOver = false;
  const finish = (): void => {
    isOver = true;
    silence.stop();
    outgoing.destroy();
  };
  const onBroken = (error: Error): void => {
    if (isOver) return;
    answerBroken(exchange, error);
    finish();
  };
  response.once('close', finish);
  outgoing.on('error', (error) => {
    // later on it is the answer that breaks
    if (!response.headersSent) onBroken(error);
  });
  outgoing.once('response', (answer) => {
    answer.once('error', onBroken);
    sendAnswer(exchange, answer, silence.end);
  });
  incoming.on('data', silence.end);
  sendBody(incoming, outgoing, limits.bodyBytes, () => {
    if (response.headersSent) response.destroy();
    else answerTooLong(response);
    finish();
  });
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
  const { providerId } = provider.upstream;
  const status = answer.statusCode ?? 502;
  const tell = (): void => {
    onHealth(healthOfAnswer(providerId, status, answer.headers['retry-after'], Date.now()));
  };
  endSilence();
  tell();
  response.writeHead(status, responseHeaders(answer.rawHeaders));
  // a stream may take long to its first byte
  response.flushHeaders();
  pipeline(answer, response, () => {
    // whatever broke, both ends know
  });
  answer.on('data', () => {
    if (endSilence()) tell();
  });
}

/** With an answer under way, `pipeline` breaks the client's connection, as the model's broke. */
function answerBroken({ provider, response, onHealth }: ModelExchange, error: Error): void {
  const health = healthOfError(provider.upstream.providerId, error, Date.now());
  onHealth(health);
  const problem = modelHealthMessage(health);
  if (problem !== undefined && !response.headersSent) answerError(response, 502, formatMessage(problem));
}

function answerTooLong(response: ServerResponse): void {
  answerError(response, 413, 'The request is longer than the sandbox passes on.');
}
