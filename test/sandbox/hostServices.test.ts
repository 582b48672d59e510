import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { waitUntil } from '../support/waitUntil';
import { endOf, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

describe('an agent whose network would lead to a service of the desktop', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  it('is not started with an open network that reaches a message bus which lets it in', async () => {
    // a listener of this user's under the name of a bus
    const bus = createServer();
    await new Promise<void>((listening) => bus.listen(`\0test-dbus-${process.pid}`, listening));
    try {
      for (const network of ['open', 'none'] as const) {
        const started = await startSandbox(specify(folders, { network }));
        const { connection } = started;
        if (network === 'open') {
          const end = await endOf(connection);
          assert.equal(end.reason, 'refused');
          assert.match(end.explanation?.text ?? '', /lets the agent in/);
        } else {
          await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
          await connection.stop();
        }
      }
    } finally {
      await new Promise((closed) => bus.close(closed));
    }
  });
});
