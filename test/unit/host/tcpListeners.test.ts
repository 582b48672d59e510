import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { listenerUids, loopbackListenerUids } from '../../../src/host/tcpListeners';

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 31337 1 0 100 0 0 10 0
   1: 00000000:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000   998        0 31338 1 0 100 0 0 10 0
   2: 0100007F:04D2 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 31339 1 0 20 4 30 10 -1
   3: 0A00000A:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1003        0 31340 1 0 100 0 0 10 0
`;
const table6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1004        0 1 1 0 100 0 0 10 0
   1: 0000000000000000FFFF00000100007F:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1005        0 2 1 0 100 0 0 10 0
   2: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1006        0 3 1 0 100 0 0 10 0
`;

describe('who listens on a port', () => {
  it('is read from the table of the kernel', () => {
    assert.deepEqual(listenerUids(table, 8080), [1001]);
    assert.deepEqual(listenerUids(table, 8000), [998]);
  });

  it('is nobody for a connection that is open, and for another address', () => {
    assert.deepEqual(listenerUids(table, 1234), []);
    assert.deepEqual(listenerUids(table, 11434), []);
  });

  it('counts sockets of IPv6 that take connections of IPv4', () => {
    assert.deepEqual(listenerUids(table6, 8080), [1004, 1005]);
  });

  it('is this user for a server of this test', async () => {
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const server = createServer().listen(0, host);
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      assert.deepEqual(loopbackListenerUids(port), [process.getuid?.()]);
      server.close();
      await once(server, 'close');
      assert.deepEqual(loopbackListenerUids(port), []);
    }
  });
});
