import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../../../scripts/setup/paths';
import type { GatewayOptions } from '../../../src/gateway/gateway';
import { Client } from './client';
import { makeSelfSigned } from '../../support/selfSigned';

/** The way as it is in a sandbox: client → relay → gateway → model; and past all that, to the model itself. */
export interface Parts {
  readonly direct: Client;
  readonly gateway: Client;
  /** with a second relay in the place of the gateway: what two processes on the way cost by themselves */
  readonly relays: Client;
  /** the same two with a model elsewhere: without the gateway it is the client that does TLS, with it the gateway */
  readonly secure: { readonly direct: Client; readonly gateway: Client };
  /** resident bytes of the gateway's process */
  readonly gatewayMemory: () => Promise<number>;
  close(): Promise<void>;
}

/** Starts each part in a process of its own. */
export async function startParts(): Promise<Parts> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const [key, certificate] = makeCertificate(folder);
  const children: ChildProcess[] = [];
  const start = async (name: string, ...args: string[]): Promise<{ child: ChildProcess; said: unknown }> => {
    const child = fork(join(repositoryFolder, 'out/test/bench/gateway', name), args, {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
    });
    children.push(child);
    const ended = once(child, 'exit').then(() => {
      throw new Error(`${name} ended before it was ready`);
    });
    const [said] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
    ended.catch(() => undefined);
    return { child, said };
  };
  const close = async (): Promise<void> => {
    await Promise.all(children.map((child) => endOf(child)));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const modelSocket = join(folder, 'model');
    const model = await start('modelProcess.js', modelSocket, key, certificate);
    const [port, securePort] = model.said as readonly [number, number];
    const options = gatewayOptions(join(folder, 'models'), port, securePort);
    const bundle = join(repositoryFolder, 'dist/gateway.js');
    const gateway = await start('gatewayProcess.js', bundle, JSON.stringify(options));
    const relay = await start('relayProcess.js', options.models.listen.socket);
    const secondRelay = await start('relayProcess.js', modelSocket);
    const firstRelay = await start('relayProcess.js', String(secondRelay.said));
    const [near] = options.models.upstreams;
    const authority = readFileSync(certificate, 'utf8');
    return {
      direct: new Client(port, '/v1', near.key),
      relays: new Client(Number(firstRelay.said), '/v1', near.key),
      gateway: new Client(Number(relay.said), '/p', options.models.token),
      secure: {
        direct: new Client(securePort, '/v1', near.key, authority),
        gateway: new Client(Number(relay.said), '/s', options.models.token),
      },
      async gatewayMemory() {
        gateway.child.send('memory');
        const [bytes] = (await once(gateway.child, 'message')) as [number];
        return bytes;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** For `localhost`, by itself. @returns the files of key and certificate */
function makeCertificate(folder: string): readonly [string, string] {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  makeSelfSigned({ name: 'bench', extension: 'subjectAltName=DNS:localhost', key, certificate });
  return [key, certificate];
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Neither the token nor the key opens anything but what is started here. */
function gatewayOptions(socket: string, port: number, securePort: number) {
  const signed = { authentication: 'bearer', key: 'a-key-for-measuring' } as const;
  return {
    models: {
      listen: { socket },
      token: randomBytes(32).toString('hex'),
      upstreams: [
        { providerId: 'p', baseUrl: `http://127.0.0.1:${port}/v1`, ...signed },
        { providerId: 's', baseUrl: `https://localhost:${securePort}/v1`, ...signed },
      ],
    },
  } as const satisfies GatewayOptions;
}
