/**
 * A model for measuring, in a process of its own: answers as the header `x-answer` says, on two ports of 127.0.0.1,
 * which it tells over IPC, the second for TLS, and on a unix socket. Arguments: SOCKET KEY CERTIFICATE (files).
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { bulkBytes, quickEvents, streamEvents, streamPauseMilliseconds, streamText } from './answers';

/** Text, because the gateway looks for its key in it: bytes that the key has none of take no time. */
const piece = Buffer.alloc(64 * 1024, streamText(0));

const answers: Readonly<Record<string, (response: ServerResponse) => Promise<void> | void>> = {
  json: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}');
  },
  short: async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(streamText(0));
    await pause(1);
    response.end(streamText(1));
  },
  async stream(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let index = 0; index < streamEvents; index++) {
      response.write(streamText(index));
      await pause(streamPauseMilliseconds);
    }
    response.end();
  },
  async quick(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let index = 0; index < quickEvents; index++) {
      if (!response.write(streamText(index))) await once(response, 'drain');
      // what is written in one turn would go out together
      await turn();
    }
    response.end();
  },
  bulk(response) {
    let left = bulkBytes;
    const more = (): void => {
      while (left > 0) {
        left -= piece.length;
        if (!response.write(piece)) return;
      }
      response.end();
    };
    response.writeHead(200).on('drain', more);
    more();
  },
};

const answer: RequestListener = (incoming, response) => {
  incoming.resume().once('end', () => {
    const send = answers[String(incoming.headers['x-answer'])];
    if (send === undefined) response.writeHead(404).end();
    else void send(response);
  });
};

const [path = '', key = '', certificate = ''] = process.argv.slice(2);
const onPort = createServer({ keepAliveTimeout: 60_000 }, answer);
const onSocket = createServer({ keepAliveTimeout: 60_000 }, answer);
const secret = { key: readFileSync(key), cert: readFileSync(certificate) };
const onSecurePort = createSecureServer({ ...secret, keepAliveTimeout: 60_000 }, answer);
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
onSocket.listen(path, () =>
  onPort.listen(0, '127.0.0.1', () =>
    onSecurePort.listen(0, '127.0.0.1', () => process.send?.([portOf(onPort), portOf(onSecurePort)])),
  ),
);
process.once('disconnect', () => process.exit());
