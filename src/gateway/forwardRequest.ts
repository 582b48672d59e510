import { type IncomingMessage, request as startRequest, type ServerResponse } from 'node:http';
import type { Attempt } from './attempt';
import type { EgressLimits } from './egressLimits';
import { headerPairs, isFinalStatus, rawHeadersOf, uncompressed } from './headers';
import { withoutKey } from './keyEcho';
import { formatAuthority } from './hostName';
import { passAnswer } from './passAnswer';
import { answerHeaders, type PlainRequest } from './plainRequest';
import { Refusal } from './refusal';
import type { Route } from './route';
import { proxyAuthorization } from './siteProxyConnection';

/** What the agent sent and waits for. */
export interface PlainExchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** the agent sends its body only when it is told to */
  readonly expectsContinue: boolean;
}

/**
 * Sends a request on, and the answer back as it is; redirects are for the agent to follow, or not. Resolves when the
 * answer is complete.
 * @throws Refusal, or what the connection met; then the answer has begun or not
 */
export async function forwardRequest(
  request: PlainRequest,
  { incoming, response, expectsContinue }: PlainExchange,
  route: Route,
  attempt: Attempt,
  limits: EgressLimits,
): Promise<void> {
  const { socket } = route;
  socket.setTimeout(limits.idle, () => attempt.abort('timedOut'));
  const outgoing = startRequest({
    method: request.method,
    ...targetFor(request, route),
    createConnection: () => socket,
    setHost: false,
    maxHeaderSize: limits.headBytes,
    insecureHTTPParser: false,
  });
  attempt.allowed(socket);
  if (expectsContinue) {
    response.writeContinue();
  }
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).on('error', reject);
    outgoing.once('upgrade', () => reject(new Refusal('broken')));
  });
  // not a pipeline: a server may answer before it has read everything, and the agent has to get that answer
  if (request.hasBody) incoming.pipe(outgoing);
  else outgoing.end();
  const answer = await answered;
  if (answer.statusCode === 407) {
    throw new Refusal(route.siteProxy ? 'siteProxy' : 'broken');
  }
  if (!isFinalStatus(answer.statusCode)) throw new Refusal('broken');
  // error pages of proxies repeat requests, with the password for the proxy in them
  const secret = route.siteProxy?.authorization?.replace(/^\S+ /, '');
  response.writeHead(answer.statusCode, withoutKey(answerHeaders(answer.rawHeaders), secret));
  // with an answer cut off the agent's client knows that something is wrong
  await passAnswer(answer, response, secret);
}

/**
 * Through the site's proxy the path is the whole URL (RFC 9112 3.2.2), and the proxy may want a password; then nothing
 * is compressed, so that the password is seen in its answers.
 */
function targetFor(
  { target, path, headers }: PlainRequest,
  { siteProxy }: Route,
): { path: string; headers: string[] } {
  if (!siteProxy) {
    return { path, headers: [...headers] };
  }
  const { authorization } = siteProxy;
  return {
    path: `http://${formatAuthority(target.host, target.port === 80 ? undefined : target.port)}${path}`,
    headers: [
      ...(authorization === undefined ? headers : rawHeadersOf(headerPairs(headers).map(uncompressed))),
      ...Object.entries(proxyAuthorization(authorization)).flat(),
    ],
  };
}
