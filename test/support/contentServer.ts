import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** What a server has at a path; undefined where it has nothing. @param address of the server itself */
export type Content = (path: string, address: string) => Buffer | string | undefined;

/** A web server on 127.0.0.1 with content of the test's. */
export class ContentServer {
  private constructor(
    private readonly server: Server,
    /** such as `http://127.0.0.1:8080` */
    readonly address: string,
  ) {}

  static async start(content: Content): Promise<ContentServer> {
    const server = createServer(({ url = '', headers }, response) => {
      const address = `http://${headers.host}`;
      // an address of apt's has /./ in it
      const found = content(decodeURIComponent(new URL(url, address).pathname), address);
      const type = typeof found === 'string' ? 'text/html' : 'application/octet-stream';
      response.writeHead(found === undefined ? 404 : 200, { 'content-type': type });
      response.end(found);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ContentServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
