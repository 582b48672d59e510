import { lookup } from 'node:dns/promises';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { Canaries } from '../../../src/probes/host/canaries';
import type { RunDirectory } from '../../../src/sandbox/runDirectory';

/** A gateway as somebody writes it who has not thought about it: it believes whatever it is asked for. */
export interface NaiveGateway {
  close(): void;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Listens where the gateway would. It leads to this computer only: nothing else may be contacted by a test. */
export async function startNaiveGateway(run: RunDirectory, canaries: Canaries): Promise<NaiveGateway> {
  const egress = createServer({ insecureHTTPParser: true }, (incoming, response) => {
    void passOn(placeOf(`http://${incoming.headers.host ?? ''}`), response);
    void passOn(placeOf(incoming.url ?? ''), undefined);
  });
  egress.on('connect', (incoming: IncomingMessage, client: Socket) => {
    void tunnel(placeOf(`http://${incoming.url ?? ''}`), client);
  });
  // what Node.js itself refuses: letters beyond ASCII in a name
  egress.on('clientError', (error: Error & { rawPacket?: Buffer }, client: Socket) => {
    const [, asked = ''] = /^CONNECT (\S+)/.exec(error.rawPacket?.toString('latin1') ?? '') ?? [];
    void tunnel(placeOf(`http://${asked}`), client);
  });
  const models = createServer((incoming, response) => {
    const [, port] = /:(\d+)/.exec(canaries.model.upstream.baseUrl) ?? [];
    const headers = { authorization: `Bearer ${canaries.modelKey}` };
    request({ host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      const { location } = answer.headers;
      if (location === undefined) answer.pipe(response);
      else void passOn(placeOf(location), response);
    }).end();
  });
  const servers = [
    { server: egress, path: run.egressSocket },
    { server: models, path: run.modelSocket },
  ];
  for (const { server, path } of servers) {
    await new Promise<void>((resolve) => server.listen(path, resolve));
  }
  return {
    close: () =>
      servers.forEach(({ server }) => {
        server.close();
        server.closeAllConnections();
      }),
  };
}

/** Names in whatever form they come, as `URL` reads them. @param text as Node.js has it, one character for each byte */
function placeOf(text: string): Place | undefined {
  try {
    const { hostname, port } = new URL(Buffer.from(text, 'latin1').toString('utf8'));
    return { host: hostname.replace(/^\[|\]$|\.$/g, ''), port: Number(port || 80) };
  } catch {
    return undefined;
  }
}

/** Whether it is this very computer, as far as that can be known without asking another one. */
async function isHere(host: string): Promise<boolean> {
  if (host.endsWith('.invalid')) return false;
  const address = isIP(host) > 0 ? host : (await lookup(host).catch(() => ({ address: '' }))).address;
  return address !== '' && !address.startsWith('169.254.');
}

async function tunnel(place: Place | undefined, client: Socket): Promise<void> {
  client.on('error', () => undefined);
  if (!place || !(await isHere(place.host))) {
    client.destroy();
    return;
  }
  const upstream = connect(place, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
  upstream.on('error', () => client.destroy());
  upstream.pipe(client);
  client.pipe(upstream);
}

/** @param response undefined: whatever comes back is thrown away */
async function passOn(place: Place | undefined, response: ServerResponse | undefined): Promise<void> {
  if (!place || !(await isHere(place.host))) {
    response?.end();
    return;
  }
  const asked = request({ ...place, path: '/', method: 'GET' }, (answer) => {
    answer.resume();
    response?.writeHead(204).end();
  });
  asked.on('error', () => response?.end());
  asked.end();
}
