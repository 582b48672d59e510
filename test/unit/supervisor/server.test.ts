import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectSandbox } from '../../../src/launch/connect';
import type { SandboxConnection } from '../../../src/launch/connection';
import { Screen } from '../../../src/supervisor/screen';
import { SupervisorServer, type ServedSandbox } from '../../../src/supervisor/server';
import { TerminalClients } from '../../../src/supervisor/terminalClients';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

const farewell = { milliseconds: 200, longestMilliseconds: 2000 };

describe('SupervisorServer', () => {
  const folder = useTemporaryFolder();
  let server: SupervisorServer;
  let client: SandboxConnection;
  let isClosed: boolean;

  beforeEach(async () => {
    server = new SupervisorServer(servedSandbox(), () => undefined, farewell);
    const socket = join(folder(), 'socket');
    await server.listen(socket);
    client = await connectSandbox(socket);
    isClosed = false;
    client.onClosed(() => {
      isClosed = true;
    });
  });

  /** Closes the server while the client says for so long what it has shown. @returns how long that took, in ms */
  async function closeWhileClientReads(milliseconds: number): Promise<number> {
    const since = performance.now();
    let shown = 0;
    const reading = setInterval(() => client.acknowledge((shown += 1)), 20);
    setTimeout(() => clearInterval(reading), milliseconds);
    await server.close();
    clearInterval(reading);
    return performance.now() - since;
  }

  it('waits for the end of what a slow client has to read', async () => {
    const took = await closeWhileClientReads(600);
    assert.ok(took >= 600, `let go of after ${took} ms`);
    await waitUntil('the client is let go of', () => isClosed);
  });

  it('waits for no client that reads for ever', async () => {
    const took = await closeWhileClientReads(60_000);
    assert.ok(took >= farewell.longestMilliseconds, `let go of after ${took} ms`);
  });

  it('waits for no client that says nothing any more', async () => {
    await closeWhileClientReads(0);
    await waitUntil('the client is let go of', () => isClosed);
  });

  it('waits for the first client, and not for ever', async () => {
    await server.firstClient();
    const other = new SupervisorServer(servedSandbox(), () => undefined, farewell);
    const socket = join(folder(), 'other');
    await other.listen(socket);
    const since = performance.now();
    await other.firstClient();
    const took = performance.now() - since;
    assert.ok(took >= farewell.milliseconds - 5, `${took} ms`);
    const coming = other.firstClient();
    const first = await connectSandbox(socket);
    await coming;
    first.dispose();
    await other.close();
  });

  it('waits for nobody when all have gone', async () => {
    server.broadcastStatus({ phase: 'ended', end: { reason: 'stopped' } });
    await waitUntil('the client has heard of the end', () => isClosed);
    assert.equal(
      await Promise.race([server.close().then(() => 'closed'), delay(farewell.milliseconds, 'waited')]),
      'closed',
    );
  });
});

function servedSandbox(): ServedSandbox {
  const screen = new Screen({ columns: 80, rows: 24 }, () => undefined);
  const nothing = (): void => undefined;
  return {
    summary: {
      id: 'id',
      kind: 'shell',
      workspace: '/work',
      image: '/image.sif',
      network: 'none',
      startedAt: 0,
      supervisorPid: process.pid,
    },
    status: () => ({ phase: 'running' }),
    stop: () => Promise.resolve({ reason: 'stopped' }),
    input: nothing,
    terminals: new TerminalClients(screen, { pause: nothing, resume: nothing, resize: nothing }),
    networkLog: () => [],
    setAllowedHosts: () => Promise.resolve(),
    startWithoutUndo: nothing,
  };
}
