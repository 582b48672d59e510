import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectSandbox } from '../../../src/launch/connect';
import { protocolVersion } from '../../../src/supervisor/protocol';
import { ScreenReader } from '../../support/screenReader';
import { waitUntil } from '../../support/waitUntil';
import { startRunning } from './runningSandbox';
import { TestFolders } from './sandboxUnderTest';

/**
 * Measured: 3 to 10 MB to and fro, and on a very busy machine once 16 MB more, for good, of which nothing was left
 * when a collection was forced: V8 had let its young generation grow, whose halves have up to 16 MB each. What piles
 * up would be 1.5 to 2.6 MB a second.
 */
const allowedGrowthBytes = 24 * 2 ** 20;
const warmUpMilliseconds = 8000;

/** 60 on an idle machine, 10 where 15 others want its two processors (measured). */
const leastFramesPerSecond = 3;

/** Every cell of 120 × 29 in a colour of its own: 43 kB, which makes 2.6 MB/s at 60 Hz. */
const frame = Array.from({ length: 29 }, (_row, row) =>
  Array.from({ length: 120 }, (_cell, column) => `\x1b[38;5;${100 + ((row + column) % 100)}m#`).join(''),
).join('\r\n');

const script = `
frame=0
while :; do
  frame=$((frame + 1))
  printf '\\033[H'
  cat frame.txt
  printf '\\r\\n\\033[mframe %d ' $frame
  sleep 0.0166
done
`;

/**
 * Repaints a whole screen for a while, about 60 times a second, and watches the supervisor's memory.
 *
 * @param client `none`: nobody is connected. `neverReads`: a window is attached that stopped reading at once.
 * @returns what there was to see, for people
 */
export async function repaint(client: 'none' | 'neverReads', seconds: number): Promise<string> {
  const folders = new TestFolders();
  writeFileSync(join(folders.workspace, 'frame.txt'), frame);
  writeFileSync(join(folders.workspace, 'repaint.sh'), script);
  try {
    const { connection, supervisorPid, runDirectory } = await startRunning(folders, {
      detachedTimeoutMilliseconds: (seconds + 60) * 1000,
    });
    const socketPath = join(runDirectory, 'control/supervisor.sock');
    const first = await ScreenReader.attach(connection);
    first.type('sh repaint.sh\r');
    await first.shows(/frame \d+/);
    const deaf = client === 'neverReads' ? await attachDeaf(socketPath) : undefined;
    connection.dispose();
    await delay(warmUpMilliseconds);
    const samples = [memoryOf(supervisorPid)];
    const end = Date.now() + seconds * 1000;
    while (Date.now() < end) {
      await delay(500);
      samples.push(memoryOf(supervisorPid));
    }
    assertFlat(samples);
    const again = await connectSandbox(socketPath);
    const screen = await ScreenReader.attach(again);
    await screen.shows(/frame \d+/);
    const frameShown = (): number => Number(/frame (\d+)/.exec(screen.text())?.[1]);
    const shown = frameShown();
    assert.ok(shown > seconds * leastFramesPerSecond, `attaching shows frame ${shown} after ${seconds} s`);
    await waitUntil('it goes on', () => frameShown() > shown + 10);
    deaf?.destroy();
    await again.stop();
    return `client ${client}: ${shown} frames; memory in MB: ${inMegabytes(samples)}`;
  } finally {
    folders.remove();
  }
}

/** The least of the last samples is what was not collected; the most of the first ones is what is normal. */
function assertFlat(samples: readonly number[]): void {
  const part = Math.ceil(samples.length / 4);
  const atFirst = Math.max(...samples.slice(0, part));
  const atLast = Math.min(...samples.slice(-part));
  const grown = atLast - atFirst;
  const seen = `memory in MB: ${inMegabytes(samples)}`;
  assert.ok(grown < allowedGrowthBytes, seen);
  assert.ok(Math.max(...samples) < atFirst + 2 * allowedGrowthBytes, seen);
}

/** At most 60 samples, evenly spread. */
function inMegabytes(samples: readonly number[]): string {
  const step = Math.ceil(samples.length / 60);
  const shown = samples.filter((_, index) => index % step === 0);
  return shown.map((bytes) => Math.round(bytes / 2 ** 20)).join(' ');
}

/**
 * What a process has allocated (RssAnon of proc_pid_status(5)), in bytes. The text of the program is not its own, and
 * its share of that changes with the other Node.js processes of the machine.
 */
function memoryOf(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
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
