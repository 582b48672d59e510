import assert from 'node:assert/strict';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectSandbox } from '../../../src/launch/connect';
import { protocolVersion } from '../../../src/supervisor/protocol';
import { ScreenReader } from '../../support/screenReader';
import { waitUntil } from '../../support/waitUntil';
import { assertFlat, inMegabytes, watchMemory } from './flatMemory';
import { paintCommand, writePainter } from './painter';
import { startRunning } from './runningSandbox';
import { TestFolders } from './sandboxUnderTest';

const warmUpMilliseconds = 8000;

/** 60 on an idle machine, 10 where 15 others want its two processors (measured). */
const leastFramesPerSecond = 3;

/**
 * Repaints a whole screen for a while, about 60 times a second, and watches the supervisor's memory.
 *
 * @param client `none`: nobody is connected. `neverReads`: a window is attached that stopped reading at once.
 * @returns what there was to see, for people
 */
export async function repaint(client: 'none' | 'neverReads', seconds: number): Promise<string> {
  const folders = new TestFolders();
  writePainter(folders.workspace);
  try {
    const { connection, supervisorPid, runDirectory } = await startRunning(folders, {
      detachedTimeoutMilliseconds: (seconds + 60) * 1000,
    });
    const socketPath = join(runDirectory, 'control/supervisor.sock');
    const first = await ScreenReader.attach(connection);
    first.type(`${paintCommand}\r`);
    await first.shows(/frame \d+/);
    const deaf = client === 'neverReads' ? await attachDeaf(socketPath) : undefined;
    connection.dispose();
    await delay(warmUpMilliseconds);
    const [memory] = await watchMemory([supervisorPid], seconds);
    assertFlat('supervisor', memory ?? []);
    const again = await connectSandbox(socketPath);
    const screen = await ScreenReader.attach(again);
    await screen.shows(/frame \d+/);
    const frameShown = (): number => Number(/frame (\d+)/.exec(screen.text())?.[1]);
    const shown = frameShown();
    assert.ok(shown > seconds * leastFramesPerSecond, `attaching shows frame ${shown} after ${seconds} s`);
    await waitUntil('it goes on', () => frameShown() > shown + 10);
    deaf?.destroy();
    await again.stop();
    return `client ${client}: ${shown} frames; memory in MB: ${inMegabytes(memory ?? [])}`;
  } finally {
    folders.remove();
  }
}

/** A window that attaches and then reads nothing more. */
async function attachDeaf(socketPath: string): Promise<Socket> {
  const socket = createConnection(socketPath);
  const request = (id: number, method: string, params: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  request(1, 'hello', { protocolVersion });
  request(2, 'attach', { columns: 120, rows: 30 });
  // it is attached when it has been sent the screen
  await new Promise<void>((resolve) => {
    const look = (data: Buffer): void => {
      if (data.includes('"method":"output"')) {
        socket.off('data', look).pause();
        resolve();
      }
    };
    socket.on('data', look);
  });
  return socket;
}
