import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const mirrorVariable = 'SANDBOXED_AGENT_DEBIAN_MIRROR';

/**
 * Puts a server of ours in the place of Debian's for the tests of the suite around it.
 * @param answer what it has at a path; undefined where it has nothing
 */
export function useDebianMirror(answer: (path: string) => string | undefined): void {
  let mirror: Server;
  before(async () => {
    mirror = createServer(({ url = '' }, response) => {
      const content = answer(url);
      response.writeHead(content === undefined ? 404 : 200);
      response.end(content);
    });
    await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
    process.env[mirrorVariable] = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/debian`;
  });
  after(() => {
    Reflect.deleteProperty(process.env, mirrorVariable);
    mirror.close();
  });
}
