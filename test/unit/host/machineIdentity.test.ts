import assert from 'node:assert/strict';
import { identityOf, machineIdentity } from '../../../src/host/machineIdentity';

const id = '0123456789abcdef0123456789abcdef';

describe('the identity of a machine', () => {
  it('comes of its id, whatever the machine is called', () => {
    assert.equal(identityOf(`${id}\n`, 'laptop'), identityOf(id, 'login1'));
    assert.notEqual(identityOf(id.replace('0', 'f'), 'laptop'), identityOf(id, 'laptop'));
  });

  it('comes of its name where there is no id', () => {
    for (const none of [undefined, '', 'uninitialized\n']) {
      assert.notEqual(identityOf(none, 'laptop'), identityOf(none, 'login1'));
      assert.equal(identityOf(none, 'laptop'), identityOf(undefined, 'laptop'));
    }
  });

  it('does not tell the id', () => {
    assert.match(machineIdentity(), /^[\da-f]{64}$/);
    assert.doesNotMatch(identityOf(id, 'laptop'), new RegExp(id));
  });
});
