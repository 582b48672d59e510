import { spawnSync } from 'node:child_process';
import { vscodeHost } from '../../support/environment';
import { proportionalMegabytes } from '../running/processUse';

/** Where a Node process opens its inspector when it gets SIGUSR1 (https://nodejs.org/api/process.html#signal-events). */
const inspector = 'http://127.0.0.1:9229/json/list';

/** Has the process with this pid collect its garbage, by its own inspector. Another one at this port is left alone. */
const collect = (pid: number): string => `
process.kill(${pid}, 'SIGUSR1');
const find = async (tries) => {
  try { return (await (await fetch('${inspector}')).json())[0]; }
  catch (error) {
    if (tries === 0) throw error;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return find(tries - 1);
  }
};
const { webSocketDebuggerUrl } = await find(100);
const socket = new WebSocket(webSocketDebuggerUrl);
await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = reject; });
const ask = (method, params) => new Promise((resolve) => {
  socket.onmessage = ({ data }) => resolve(JSON.parse(data).result);
  socket.send(JSON.stringify({ id: 1, method, params }));
});
const { result } = await ask('Runtime.evaluate', { expression: 'process.pid' });
if (result.value !== ${pid}) throw new Error('the inspector is that of another process');
await ask('HeapProfiler.collectGarbage', {});
process.exit(0);
`;

/**
 * Memory of a Node process (PSS) in MB, without what its garbage takes: how much of that V8 keeps is its own decision.
 * @throws Error when the process does not let its inspector be used
 */
export function collectedMegabytes(pid: number): number {
  const { nodeBinary } = vscodeHost();
  const collecting = spawnSync(nodeBinary, ['--input-type=module', '--eval', collect(pid)], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (collecting.status !== 0) throw new Error(collecting.stderr);
  return proportionalMegabytes(pid);
}
