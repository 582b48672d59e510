import assert from 'node:assert/strict';
import { strictest, strictestNetwork } from '../../../src/sandbox/settings';
import { UserError } from '../../../src/sandbox/userError';

describe('strictest', () => {
  const of = (...values: unknown[]): string | undefined => strictest(['a', 'b', 'c'], 'some.setting', values);

  it('takes the strictest of what is set', () => {
    assert.equal(of('c', 'b'), 'b');
    assert.equal(of('a', 'c'), 'a');
    assert.equal(of(undefined, 'c'), 'c');
    assert.equal(of(undefined, undefined), undefined);
  });

  it('refuses what does not exist without repeating it, because a workspace can hold any text', () => {
    for (const value of ['[x](command:evil)', '', null, 1, ['a']]) {
      assert.throws(
        () => of('a', value),
        (error) =>
          error instanceof UserError && error.code === 'setting.invalid' && !error.message.includes('evil'),
      );
    }
  });
});

describe('strictestNetwork', () => {
  it('lets a workspace close the network, but not open it', () => {
    assert.equal(strictestNetwork('open', 'none'), 'none');
    assert.equal(strictestNetwork('none', 'open'), 'none');
    assert.equal(strictestNetwork('open', 'open'), 'open');
    assert.equal(strictestNetwork('open', undefined), 'open');
    assert.equal(strictestNetwork('open', 'restricted'), 'restricted');
    assert.equal(strictestNetwork('restricted', 'open'), 'restricted');
    assert.equal(strictestNetwork('restricted', 'none'), 'none');
  });

  it('is closed when nothing is set', () => {
    assert.equal(strictestNetwork(undefined, undefined), 'none');
  });
});
