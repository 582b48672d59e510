import { once } from 'node:events';
import { type IncomingMessage, request as startRequest } from 'node:http';
import { isObject } from '../sandbox/jsonObject';
import type { ModelHealth, SignedUpstream } from './gateway';
import { ModelAgent, type ModelNetwork } from './modelConnection';
import { keyHeader } from './modelHeaders';
import { healthOfAnswer, healthOfError, silentHealth } from './modelHealth';

/** What a small request to a server of models showed. */
export interface ModelCheck {
  readonly health: ModelHealth;
  /** from the start of the connection to the head of the answer; absent when there was none */
  readonly latencyMilliseconds?: number;
  /** ids of its models, in its order; absent when it does not tell them */
  readonly models?: readonly string[];
}

const timeoutMilliseconds = 10_000;
/** Catalogues of large resellers have some hundred kilobytes. */
const maximumListBytes = 8 * 1024 * 1024;
const maximumModels = 200;

/** Ids as providers have them, `owner/name:variant` among them. What else a server sends is left out. */
const modelId = /^[\w.:@/+-]{1,128}$/;

/** The version of Anthropic's API for its servers, which answer nothing without it. */
const anthropicVersion = ['anthropic-version', '2023-06-01'];

/**
 * Asks a server for its list of models, with the key: is it there, does it take the key, how quick is it? A server
 * without such a list counts as reachable. For the gateway when it starts, and for "Configure Model…" before a model
 * is used; that one has to show ids as data only, since the server may be hostile.
 * @param upstream its `baseUrl` as `normaliseModelAddress` gives it
 * @returns within 10 s; `silent` then, when nothing came
 * @throws the reason of `signal`, when that was aborted
 */
export async function checkModel(
  upstream: SignedUpstream,
  network: ModelNetwork,
  signal: AbortSignal,
): Promise<ModelCheck> {
  const { providerId } = upstream;
  const agent = new ModelAgent(upstream.baseUrl, network);
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  const start = performance.now();
  try {
    const answer = await ask(upstream, agent, AbortSignal.any([signal, timeout]));
    const latencyMilliseconds = performance.now() - start;
    const status = answer.statusCode ?? 0;
    const health = healthOfAnswer(providerId, status, answer.headers['retry-after'], Date.now());
    if (health.state !== 'reachable' || status >= 300) return { health, latencyMilliseconds };
    const models = readModels(await readText(answer));
    // something answers, for example the page of a portal; but no server of models
    if (models === undefined)
      return { health: { providerId, state: 'failing', time: Date.now() }, latencyMilliseconds };
    return { health, latencyMilliseconds, models };
  } catch (error) {
    signal.throwIfAborted();
    const time = Date.now();
    return {
      health: timeout.aborted
        ? silentHealth(providerId, timeoutMilliseconds / 1000, time)
        : healthOfError(providerId, error, time),
    };
  } finally {
    agent.destroy();
  }
}

async function ask(
  upstream: SignedUpstream,
  agent: ModelAgent,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { host, pathname } = new URL(upstream.baseUrl);
  const outgoing = startRequest({
    agent,
    signal,
    path: `${pathname === '/' ? '' : pathname}/models`,
    headers: [
      ...['Host', host, 'Accept', 'application/json', 'Connection', 'close'],
      ...(upstream.authentication === 'x-api-key' ? anthropicVersion : []),
      ...keyHeader(upstream),
    ],
  });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  // the end of the connection may be told here as well
  outgoing.on('error', () => undefined);
  return answer;
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maximumListBytes) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readModels(text: string): string[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const data = isObject(json) ? json['data'] : undefined;
  if (!Array.isArray(data) || !data.every(isObject)) return undefined;
  const ids = data.flatMap(({ id }) => (typeof id === 'string' && modelId.test(id) ? [id] : []));
  return [...new Set(ids)].slice(0, maximumModels);
}
