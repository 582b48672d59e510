import type { Socket } from 'node:net';

/** Whether a socket that was just made connects in time. Nothing is sent, and it is closed afterwards. */
export function connects(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  milliseconds: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (reachable: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reachable);
    };
    const timer = setTimeout(() => settle(false), milliseconds);
    socket.once(event, () => settle(true)).once('error', () => settle(false));
  });
}
