import type { Socket } from 'node:net';

/**
 * Passes bytes between two connections until both have ended. Each direction ends for itself, what was sent before an
 * end still arrives, and who reads slowly slows the other down.
 * @param idle milliseconds without a byte in either direction after which both end
 */
export function joinSockets(one: Socket, other: Socket, idle: number): Promise<void> {
  const closed = [closing(one, other, idle), closing(other, one, idle)];
  one.pipe(other);
  other.pipe(one);
  return Promise.all(closed).then(() => undefined);
}

/** Resolves when `socket` is closed; then its peer ends, too. */
function closing(socket: Socket, peer: Socket, idle: number): Promise<void> {
  return new Promise((resolve) => {
    const onClose = (hadError: boolean): void => {
      if (hadError) peer.destroy();
      else peer.destroySoon();
      resolve();
    };
    // both see each byte, so both are idle at the same time
    socket.setTimeout(idle, () => socket.destroy());
    if (socket.closed) onClose(socket.errored !== null);
    else socket.once('close', onClose);
  });
}
