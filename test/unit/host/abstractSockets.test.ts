import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findHostServices, listeningAbstractSockets } from '../../../src/host/abstractSockets';

const table = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 23456 @/tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0001 01   789 @/tmp/dbus-Abc,guid=1
0000000000000000: 00000003 00000000 00000000 0001 03 23999 @/tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0001 01 24000 /run/user/1000/bus
0000000000000000: 00000002 00000000 00000000 0002 01 24001 @datagram
`;

function listen(path: string): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

describe('listeningAbstractSockets', () => {
  it('finds streams without a folder on which somebody listens', () => {
    assert.deepEqual(listeningAbstractSockets(table), [
      { name: '/tmp/.X11-unix/X0', inode: '23456' },
      { name: '/tmp/dbus-Abc,guid=1', inode: '789' },
    ]);
  });
});

describe('findHostServices', () => {
  it('finds a message bus of this user’s, and no other’s', async () => {
    const server = await listen(`\0unit-dbus-${process.pid}`);
    const sockets = listeningAbstractSockets(readFileSync('/proc/self/net/unix', 'utf8'));
    const ours = sockets.filter(({ name }) => name.startsWith(`unit-dbus-${process.pid}`));
    assert.deepEqual(await findHostServices(ours), ['message bus']);
    assert.deepEqual(await findHostServices([{ name: '/tmp/dbus-other', inode: '1' }]), []);
    server.close();
  });

  it('asks nothing that is neither', async () => {
    assert.deepEqual(await findHostServices([{ name: 'ISCSIADM_ABSTRACT_NAMESPACE', inode: '1' }]), []);
  });

  it('takes an X server that is not there, or only by name, for none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'unit-test-'));
    assert.deepEqual(await findHostServices([{ name: '/tmp/.X11-unix/X987654', inode: '1' }]), []);
    assert.deepEqual(await findHostServices([{ name: `${folder}/.X11-unix/X0`, inode: '1' }]), []);
    rmSync(folder, { recursive: true });
  });
});
