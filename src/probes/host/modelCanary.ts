import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelUpstream } from '../../sandbox/networkAccess';

/** Id of the canary among the models of the gateway. */
export const canaryProvider = 'sandbox-probe';

/** A server in the place of a model's: it only notes what arrives, and whether it was signed with the key; asked for it, it sends on to a port. */
export class ModelCanary {
  readonly requests: string[] = [];
  private constructor(private readonly server: Server) {}

  static async open(key: string): Promise<ModelCanary> {
    const server = createServer((request, response) => {
      const isSigned = request.headers.authorization === `Bearer ${key}`;
      canary.requests.push(
        `${request.method ?? ''} ${request.url ?? ''} ${isSigned ? 'signed' : 'unsigned'}`,
      );
      request.resume();
      response.setHeader('Content-Type', 'application/json');
      const [, port] = /[?&]case=redirect&port=(\d+)$/.exec(request.url ?? '') ?? [];
      if (port !== undefined) response.writeHead(307, { Location: `http://127.0.0.1:${port}/` });
      response.end('{"data":[]}');
    });
    const canary = new ModelCanary(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return canary;
  }

  /** How the gateway reaches it. */
  get upstream(): ModelUpstream {
    const { port } = this.server.address() as AddressInfo;
    return { providerId: canaryProvider, baseUrl: `http://127.0.0.1:${port}/v1`, authentication: 'bearer' };
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
