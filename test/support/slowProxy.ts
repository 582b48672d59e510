import { createServer, type IncomingMessage, request, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** How an answer goes on; default: as it comes. */
type Pass = (answer: IncomingMessage, outgoing: Parameters<RequestListener>[1]) => void;

/** Asks another server what it is asked, and hands its answers on. @param upstream host and port */
export function forwardTo(
  upstream: string,
  pass: Pass = (answer, outgoing) => answer.pipe(outgoing),
): RequestListener {
  const [hostname, port] = upstream.split(':');
  return (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request({ hostname, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      pass(answer, outgoing);
      answer.on('error', () => outgoing.destroy());
      outgoing.on('close', () => answer.destroy());
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  };
}

/** Stands before a registry and lets the content of large files through slowly, or breaks it off, or lets nobody in. */
export class SlowProxy {
  private constructor(
    private readonly server: Server,
    readonly host: string,
  ) {}

  /** @param upstream host and port @param bytesPerSecond at most, of each answer @param breakAfter bytes of an answer */
  static async start(upstream: string, bytesPerSecond: number, breakAfter = Infinity): Promise<SlowProxy> {
    return SlowProxy.listen(
      forwardTo(upstream, (answer, outgoing) => {
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
      }),
    );
  }

  /** @param isLimited whether a request is answered with 429 @param retryAfter seconds, of which that tells */
  static async limiting(
    upstream: string,
    isLimited: (path: string) => boolean,
    retryAfter: number,
  ): Promise<SlowProxy> {
    const forward = forwardTo(upstream);
    return SlowProxy.listen((incoming, outgoing) => {
      if (!isLimited(incoming.url ?? '')) return forward(incoming, outgoing);
      outgoing.writeHead(429, { 'retry-after': String(retryAfter) }).end();
    });
  }

  private static async listen(listener: RequestListener): Promise<SlowProxy> {
    const server = createServer(listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SlowProxy(server, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
