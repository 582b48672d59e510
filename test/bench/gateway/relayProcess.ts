/**
 * Passes connections to a port on 127.0.0.1 on to a unix socket, as the companion does inside a sandbox; there it runs
 * under the image's Bun. Arguments: SOCKET, or another such port. Tells its port over IPC.
 */
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';

const [target = ''] = process.argv.slice(2);
const where = /^\d+$/.test(target) ? { host: '127.0.0.1', port: Number(target) } : { path: target };

function join(from: Socket, to: Socket): void {
  from.on('error', () => to.destroy());
  from.on('close', (hadError) => {
    if (hadError || !to.writableEnded) to.destroy();
  });
  from.pipe(to);
}

const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
  const far = createConnection({ ...where, allowHalfOpen: true });
  join(near, far);
  join(far, near);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
