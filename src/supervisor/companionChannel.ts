import { unlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { Forward } from '../sandbox/gatewayPlan';

/**
 * What the companion is told to run, one line of JSON. `input` is written to its standard input, then closed. It opens
 * the ports of `forwards` first, and ends with 88 when it can't.
 */
export interface CompanionOrder {
  readonly command: readonly string[];
  readonly directory: string;
  readonly input?: string;
  readonly forwards: readonly Forward[];
}

/** The line by which the companion is asked to end the agent. */
export interface CompanionRequest {
  readonly terminate: true;
}

/** The supervisor's end of the socket in `inside/` over which it speaks to the companion. */
export interface CompanionChannel {
  /** Asks the companion to end the agent; false when no companion listens. */
  terminate(): boolean;
  /** Whether it ever connected: a program that is not our companion does not. */
  hasCome(): boolean;
  close(): void;
}

/**
 * Waits for the companion on a unix socket and gives it its order. Only the first to connect is served: that is the
 * companion, because it is started by the gate and starts the agent only after it got its order. Nothing that
 * comes back is read. When the supervisor ends, the closing socket tells the companion to kill the agent.
 */
export function serveCompanion(socketPath: string, order: CompanionOrder): Promise<CompanionChannel> {
  let companion: Socket | undefined;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (companion) {
      socket.destroy();
      return;
    }
    companion = socket;
    server.close();
    removeSocket(socketPath);
    socket.write(`${JSON.stringify(order)}\n`);
    socket.resume();
  });
  const channel: CompanionChannel = {
    terminate: () => {
      const request: CompanionRequest = { terminate: true };
      if (companion?.writable !== true) {
        return false;
      }
      companion.write(`${JSON.stringify(request)}\n`);
      return true;
    },
    hasCome: () => companion !== undefined,
    close: () => {
      server.close();
      companion?.destroy();
    },
  };
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, () => resolve(channel));
  });
}

function removeSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // the run directory may be on its way out
  }
}
