import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayListeners } from '../../../src/gateway/gateway';
import { startGatewayThread } from '../../../src/supervisor/gatewayThread';
import { useTemporaryFolder } from '../../support/temporaryFolder';
import { waitUntil } from '../../support/waitUntil';

const listening =
  "const { parentPort } = require('node:worker_threads'); parentPort.postMessage({ type: 'listening' });";

describe('the thread of a gateway', () => {
  const folder = useTemporaryFolder();
  let failures: string[];
  const listeners: GatewayListeners = {
    onNetwork: () => undefined,
    onModel: () => undefined,
    onFailure: (error) => failures.push(error.message),
  };

  beforeEach(() => {
    failures = [];
  });

  function start(script: string): ReturnType<typeof startGatewayThread> {
    const path = join(folder(), 'thread.js');
    writeFileSync(path, script);
    return startGatewayThread({}, listeners, path);
  }

  it('that ended by itself is a failure, and is closed at once all the same', async () => {
    const gateway = await start(`${listening} process.exit();`);
    await waitUntil('it is told', () => failures.length > 0);
    const asked = Date.now();
    await gateway.close();
    assert.ok(Date.now() - asked < 200, `closed after ${Date.now() - asked} ms`);
  });

  it('that can’t end is not waited for', async () => {
    const gateway = await start(
      `${listening} parentPort.on('message', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5000));`,
    );
    const asked = Date.now();
    await gateway.close();
    assert.ok(Date.now() - asked < 1000, `closed after ${Date.now() - asked} ms`);
    assert.deepEqual(failures, []);
  });

  it('knows whom the site trusts besides, and nothing else of the environment', async () => {
    const before = process.env['NODE_EXTRA_CA_CERTS'];
    process.env['NODE_EXTRA_CA_CERTS'] = '/etc/site.pem';
    try {
      await assert.rejects(start('throw new Error(JSON.stringify(process.env));'), ({ message }: Error) =>
        message.includes('{"NODE_EXTRA_CA_CERTS":"/etc/site.pem"}'),
      );
    } finally {
      if (before === undefined) delete process.env['NODE_EXTRA_CA_CERTS'];
      else process.env['NODE_EXTRA_CA_CERTS'] = before;
    }
  });

  it('that can’t start says why', async () => {
    await assert.rejects(start("throw new Error('no room');"), /no room/);
    const said =
      "require('node:worker_threads').parentPort.postMessage({ type: 'failed', reason: 'in use' });";
    await assert.rejects(start(said), /in use/);
    assert.deepEqual(failures, []);
  });
});
