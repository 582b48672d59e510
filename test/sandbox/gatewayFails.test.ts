import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { GatewayListeners } from '../../src/gateway/gateway';
import { realEffects } from '../../src/gateway/realEffects';
import { runGateway } from '../../src/gateway/runGateway';
import type { SandboxConnection } from '../../src/launch/connection';
import type { SandboxSpecification } from '../../src/sandbox/specification';
import { image } from '../support/environment';
import { ScreenReader } from '../support/screenReader';
import { endOf, identified, specify, superviseHere, TestFolders } from './support/sandboxUnderTest';

describe('a sandbox whose gateway fails', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  /** With an open network the models are all that a gateway is for. */
  function withModel(changes: Partial<SandboxSpecification> = {}): SandboxSpecification {
    const model = { providerId: 'p', baseUrl: 'http://127.0.0.1:9/v1', authentication: 'none' } as const;
    return specify(folders, {
      image: identified(image()),
      network: 'open',
      access: { allowedHosts: [], models: [model] },
      ...changes,
    });
  }

  it('ends before the agent begins when nothing can listen there', async () => {
    const taken = join(folders.root, 'taken');
    const server = await listening(taken);
    let connected: (connection: SandboxConnection) => void = () => undefined;
    const isConnected = new Promise((resolve) => (connected = resolve));
    const connection = await superviseHere(withModel({ kind: 'agent' }), async (options, listeners) => {
      await isConnected;
      const models = options.models && { ...options.models, listen: { socket: taken } };
      return runGateway({ ...options, ...(models && { models }) }, realEffects, listeners);
    });
    const end = endOf(connection);
    connected(connection);
    const { reason, explanation } = await end;
    assert.equal(reason, 'failed');
    assert.match(explanation?.text ?? '', /^The gateway .* could not be started/);
    // opencode makes folders there at once, also for `--version`
    assert.ok(!existsSync(join(folders.workspace, 'agent-home/.local')));
    server.close();
  });

  it('ends when it can’t go on while the agent runs', async () => {
    let told: GatewayListeners | undefined;
    const connection = await superviseHere(withModel({ network: 'restricted' }), (options, listeners) => {
      told = listeners;
      return runGateway(options, realEffects, listeners);
    });
    await (await ScreenReader.attach(connection)).shows(/Apptainer>/);
    const end = endOf(connection);
    told?.onFailure(new Error('the thread of the gateway ended'));
    const { reason, explanation } = await end;
    assert.equal(reason, 'failed');
    assert.match(explanation?.text ?? '', /^The gateway .* could not go on/);
  });
});

async function listening(path: string): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}
