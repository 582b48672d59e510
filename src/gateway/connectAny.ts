import type { Socket } from 'node:net';
import { withDeadline } from './deadline';
import type { GatewayEffects } from './gateway';
import { Refusal } from './refusal';

/** A name with more addresses is not tried any further. */
const mostAddresses = 8;

interface Connected {
  readonly socket: Socket;
  readonly address: string;
}

/**
 * Connects to the first of some addresses that answers. The next one is tried when one has failed, or has not
 * answered for a moment (RFC 8305): many hosts have IPv6 addresses and no way to IPv6.
 * @param limits in milliseconds
 * @returns the connection, and which of the addresses it leads to
 * @throws Refusal `timedOut`, the signal's reason, or what the last connection met
 */
export function connectAny(
  addresses: readonly string[],
  port: number,
  connect: GatewayEffects['connect'],
  limits: { readonly connect: number; readonly nextAddress: number },
  signal: AbortSignal,
): Promise<Connected> {
  const connectTo = (address: string): Socket => connect(address, port);
  return withDeadline(limits.connect, signal, (either) =>
    firstToConnect(addresses.slice(0, mostAddresses), connectTo, limits.nextAddress, either),
  );
}

function firstToConnect(
  addresses: string[],
  connectTo: (address: string) => Socket,
  nextAddress: number,
  signal: AbortSignal,
): Promise<Connected> {
  return new Promise((resolve, reject) => {
    const pending = new Set<Socket>();
    let next: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(next);
      addresses.length = 0;
      pending.forEach((socket) => socket.destroy());
    };
    const start = (before: Error): void => {
      clearTimeout(next);
      const address = addresses.shift();
      if (address === undefined) {
        if (pending.size === 0) reject(before);
        return;
      }
      const socket = connectTo(address);
      pending.add(socket);
      socket.once('connect', () => {
        pending.delete(socket);
        settle();
        resolve({ socket, address });
      });
      // stays: an error that nobody listens to would be thrown
      socket.on('error', (error) => {
        if (pending.delete(socket)) start(error);
      });
      next = setTimeout(() => start(before), nextAddress);
    };
    signal.addEventListener('abort', settle);
    start(new Refusal('nameNotFound'));
  });
}
