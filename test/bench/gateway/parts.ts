import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../../../scripts/setup/paths';
import type { GatewayOptions } from '../../../src/gateway/gateway';
import { Client } from './client';

/** The way as it is in a sandbox: client → relay → gateway → model; and past all that, to the model itself. */
export interface Parts {
  readonly direct: Client;
  readonly gateway: Client;
  /** past the gateway alone: what the way out of a sandbox costs by itself */
  readonly relay: Client;
  /** resident bytes of the gateway's process */
  readonly gatewayMemory: () => Promise<number>;
  close(): Promise<void>;
}

/** Starts each part in a process of its own. */
export async function startParts(): Promise<Parts> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const children: ChildProcess[] = [];
  const start = async (name: string, ...args: string[]): Promise<{ child: ChildProcess; said: unknown }> => {
    const child = fork(join(repositoryFolder, 'out/test/bench/gateway', name), args);
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
    const model = await start('modelProcess.js', modelSocket);
    const options = gatewayOptions(join(folder, 'models'), Number(model.said));
    const bundle = join(repositoryFolder, 'dist/gateway.js');
    const gateway = await start('gatewayProcess.js', bundle, JSON.stringify(options));
    const relay = await start('relayProcess.js', options.models.listen.socket);
    const bareRelay = await start('relayProcess.js', modelSocket);
    const { key } = options.models.upstreams[0];
    return {
      direct: new Client(Number(model.said), '/v1', key),
      relay: new Client(Number(bareRelay.said), '/v1', key),
      gateway: new Client(Number(relay.said), '/p', options.models.token),
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

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Neither the token nor the key opens anything but what is started here. */
function gatewayOptions(socket: string, modelPort: number) {
  return {
    models: {
      listen: { socket },
      token: randomBytes(32).toString('hex'),
      upstreams: [
        {
          providerId: 'p',
          baseUrl: `http://127.0.0.1:${modelPort}/v1`,
          authentication: 'bearer',
          key: 'a-key-for-measuring',
        },
      ],
    },
  } as const satisfies GatewayOptions;
}
