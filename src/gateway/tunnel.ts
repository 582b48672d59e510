import type { Socket } from 'node:net';
import type { Attempt } from './attempt';
import { longestClientHello, readClientHello } from './clientHello';
import type { EgressLimits } from './egressLimits';
import type { NetworkReason } from './gateway';
import { joinSockets } from './joinSockets';
import { endWith, Refusal, refusalOf } from './refusal';
import type { Target } from './target';

/** A fatal alert access_denied (RFC 8446 5.1, 6), so that the agent's TLS says what happened. */
const accessDenied = Buffer.from([21, 3, 3, 0, 2, 2, 49]);

/** A client whose tunnel is not open yet. */
export interface WaitingClient {
  /** Gives what it has sent so far, and no longer listens to it; whoever calls this has to go on at once. */
  take(): Buffer;
}

/**
 * Listens to a client whose tunnel is only being opened, so that it is noticed when it leaves: its attempt ends then.
 * @param head what it sent behind its CONNECT request
 */
export function waitForTunnel(client: Socket, head: Buffer, attempt: Attempt): WaitingClient {
  const chunks = [head];
  let length = head.length;
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    length += chunk.length;
    // TLS says no more before it hears something
    if (length > longestClientHello) attempt.abort('notTls');
  };
  const onLeft = (): void => attempt.abort('broken');
  client.on('data', onData).once('end', onLeft).once('close', onLeft);
  return {
    take: () => {
      client.off('data', onData).off('end', onLeft).off('close', onLeft);
      return Buffer.concat(chunks);
    },
  };
}

/**
 * Lets bytes through between an agent and a server, once the agent's ClientHello names that server. Until then
 * nothing goes either way. Resolves when both connections have ended.
 * @param head what the agent sent behind its CONNECT request
 * @throws Refusal
 */
export async function runTunnel(
  client: Socket,
  head: Buffer,
  upstream: Socket,
  target: Target,
  attempt: Attempt,
  limits: EgressLimits,
): Promise<void> {
  const onUpstreamClose = (): void => attempt.abort('broken');
  upstream.once('close', onUpstreamClose);
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  const hello = await readHello(client, head, limits.hello, attempt.signal);
  if (!isNamed(target, hello.serverName)) {
    throw new Refusal('otherServerName');
  }
  upstream.off('close', onUpstreamClose);
  attempt.signal.addEventListener('abort', () => client.destroy());
  attempt.allowed(upstream);
  upstream.write(hello.bytes);
  await joinSockets(client, upstream, limits.idle);
}

/** Ends a tunnel that is open for the agent; `reason` is that of the refusal that {@link runTunnel} threw. */
export function endTunnel(client: Socket, reason: NetworkReason, lingerMilliseconds: number): void {
  endWith(client, reason === 'otherServerName' ? accessDenied : Buffer.alloc(0), lingerMilliseconds);
}

/** A name must be named. An address can't be (RFC 6066 3), so nothing or itself, as some clients do. */
function isNamed({ kind, host }: Target, serverName: string | undefined): boolean {
  const named = serverName?.toLowerCase().replace(/\.$/, '');
  return named === host || (kind === 'address' && named === undefined);
}

interface Hello {
  readonly serverName: string | undefined;
  readonly bytes: Buffer;
}

/**
 * Waits for a whole ClientHello. Who is silent for too long, or sends something else, does not speak TLS.
 * @throws Refusal
 */
function readHello(client: Socket, head: Buffer, milliseconds: number, signal: AbortSignal): Promise<Hello> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let [length, needed] = [0, 1];
    const settle = (settled: () => void): void => {
      clearTimeout(timer);
      client.off('data', onData).off('end', onEnd).off('close', onEnd).pause();
      signal.removeEventListener('abort', onAbort);
      settled();
    };
    const fail = (error: unknown): void => settle(() => reject(refusalOf(error)));
    const onAbort = (): void => fail(signal.reason);
    const onEnd = (): void => fail(new Refusal(length === 0 ? 'broken' : 'notTls'));
    const timer = setTimeout(() => fail(new Refusal('notTls')), milliseconds);
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length < needed) return;
      const bytes = Buffer.concat(chunks);
      const hello = readClientHello(bytes);
      if (hello.state === 'incomplete') needed = hello.needed;
      else if (hello.state === 'notTls') fail(new Refusal('notTls'));
      else settle(() => resolve({ serverName: hello.serverName, bytes }));
    };
    signal.addEventListener('abort', onAbort);
    client.on('end', onEnd).on('close', onEnd).on('data', onData);
    if (signal.aborted) onAbort();
    else if (client.destroyed) onEnd();
    else if (head.length > 0) onData(head);
  });
}
