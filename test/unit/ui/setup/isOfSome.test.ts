import assert from 'node:assert/strict';
import { isOfSome } from '../../../../src/ui/setup/isOfSome';

describe('whether something is true of one of several', () => {
  const answers = new Map([
    ['no', () => Promise.resolve(false)],
    ['yes', () => Promise.resolve(true)],
    ['broken', () => Promise.reject(new Error('opencode.json'))],
  ]);

  /** @returns what was looked at, the outcome, and the errors */
  async function look(...items: string[]) {
    const seen: string[] = [];
    const errors: unknown[] = [];
    const isTrue = await isOfSome(
      items,
      (item) => {
        seen.push(item);
        return answers.get(item)?.() ?? assert.fail(item);
      },
      (error) => errors.push(error),
    );
    return { isTrue, seen, errors: errors.map(String) };
  }

  it('goes on after one that can’t be looked at, and says so', async () => {
    assert.deepEqual(await look('broken', 'no', 'yes'), {
      ...{ isTrue: true, seen: ['broken', 'no', 'yes'] },
      errors: ['Error: opencode.json'],
    });
  });

  it('ends with the first', async () => {
    assert.deepEqual((await look('yes', 'broken')).seen, ['yes']);
    assert.equal((await look('no', 'broken')).isTrue, false);
    assert.equal((await look()).isTrue, false);
  });
});
