/**
 * The gateway's own thread, as it is packaged, in a process that does nothing else: so its memory can be told.
 * Arguments: the bundle, and GatewayOptions as JSON. Says `true` over IPC when it listens, and the resident bytes
 * whenever it is sent something.
 */
import { Worker } from 'node:worker_threads';
import type { GatewayOptions } from '../../../src/gateway/gateway';
import type { FromGateway } from '../../../src/gateway/threadMessages';

const [bundle = '', options = ''] = process.argv.slice(2);
const worker = new Worker(bundle, { workerData: JSON.parse(options) as GatewayOptions });
worker.on('message', (message: FromGateway) => {
  if (message.type === 'failed') throw new Error(message.reason);
  if (message.type === 'listening') process.send?.(true);
});
process.on('message', () => process.send?.(process.memoryUsage().rss));
process.once('disconnect', () => process.exit());
