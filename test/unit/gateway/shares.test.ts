import assert from 'node:assert/strict';
import { openFileLimit } from '../../../src/host/openFiles';
import { shareConnections } from '../../../src/gateway/shares';

describe('shareConnections', () => {
  it('leaves room for the supervisor where few files may be open', () => {
    const { egress, models } = shareConnections(1024);
    const most = egress.connections + 2 * egress.attempts + 2 * models.connections;
    assert.ok(most <= 1024 - 200, `${most}`);
    assert.ok(egress.attempts > 50, 'a package manager gets on with it');
  });

  it('gives no more than anybody needs where many may be', () => {
    assert.deepEqual(shareConnections(1_000_000), {
      egress: { attempts: 256, connections: 512 },
      models: { connections: 512 },
    });
  });
});

describe('openFileLimit', () => {
  it('is that of this process', () => {
    assert.ok(openFileLimit() >= 256);
  });
});
