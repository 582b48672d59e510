import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface StrangerLimits {
  /**
   * of all; half of them may be of those that have not shown the token yet, and of more the oldest end: a client that
   * opens 200 at once is heard of by us before what it says is (measured)
   */
  readonly connections: number;
  /** how long one may be so */
  readonly strangerMilliseconds: number;
}

/**
 * The connections to a server. With an open network everybody on this computer can open some; those who have not shown
 * the token get little room and little time, so that the sandbox always finds room.
 */
export class ModelClients {
  private readonly all = new Set<Socket>();
  /** that wait for an answer */
  private readonly asking = new WeakSet<Socket>();
  /** with the timers that end them, the oldest first */
  private readonly strangers = new Map<Socket, NodeJS.Timeout>();

  constructor(
    server: Server,
    private readonly limits: StrangerLimits,
  ) {
    server.on('connection', (socket: Socket) => this.add(socket));
  }

  /** No stranger any more: somebody who has shown the token, or is gone. */
  know(socket: Socket): void {
    clearTimeout(this.strangers.get(socket));
    this.strangers.delete(socket);
  }

  /**
   * A request begins. Clients of models wait for an answer before they ask again; who does not (pipelining, RFC 9112
   * 9.3.2) would have any number of requests under way on one connection, and is cut off.
   * @returns whether it may be answered
   */
  begin(socket: Socket, response: ServerResponse): boolean {
    if (this.asking.has(socket)) {
      socket.destroy();
      return false;
    }
    this.asking.add(socket);
    response.once('finish', () => this.asking.delete(socket));
    return true;
  }

  destroy(): void {
    this.all.forEach((socket) => socket.destroy());
  }

  private add(socket: Socket): void {
    const { connections, strangerMilliseconds } = this.limits;
    this.all.add(socket);
    this.strangers.set(
      socket,
      setTimeout(() => socket.destroy(), strangerMilliseconds),
    );
    socket.once('close', () => {
      this.know(socket);
      this.all.delete(socket);
    });
    const [oldest] = this.strangers.keys();
    if (oldest && this.strangers.size > connections / 2) {
      // at once: its end is heard of later than of others that come in the same moment
      this.know(oldest);
      oldest.destroy();
    }
  }
}
