import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Stands before a registry and lets the content of large files through slowly, or breaks it off. */
export class SlowProxy {
  private constructor(
    private readonly server: Server,
    readonly host: string,
  ) {}

  /** @param upstream host and port @param bytesPerSecond at most, of each answer @param breakAfter bytes of an answer */
  static async start(upstream: string, bytesPerSecond: number, breakAfter = Infinity): Promise<SlowProxy> {
    const [hostname, port] = upstream.split(':');
    const server = createServer((incoming, outgoing) => {
      const { method, url, headers } = incoming;
      const forwarded = request({ hostname, port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        let sent = 0;
        answer.on('data', (chunk: Buffer) => {
          sent += chunk.length;
          outgoing.write(chunk);
          if (sent > breakAfter) {
            outgoing.destroy();
            return;
          }
          answer.pause();
          setTimeout(() => answer.resume(), (chunk.length / bytesPerSecond) * 1000);
        });
        answer.on('end', () => outgoing.end());
        outgoing.on('close', () => answer.destroy());
      });
      forwarded.on('error', () => outgoing.destroy());
      incoming.pipe(forwarded);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SlowProxy(server, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
