import assert from 'node:assert/strict';
import { pasteOf } from '../../../../src/ui/terminal/agentPrompt';

describe('what is sent to the agent', () => {
  it('is pasted, so that nothing in it is a key', () => {
    assert.equal(
      pasteOf([
        { path: 'src/plot.py', lines: { first: 3, last: 8 } },
        { path: 'Größe.txt', lines: { first: 2, last: 2 } },
        { path: 'a' },
      ]),
      '\u001b[200~@src/plot.py#L3-L8 @Größe.txt#L2 @a \u001b[201~',
    );
  });

  for (const path of ['a b', 'a\nb', 'a\u001b[201~\r', 'a"b', 'a\u202eb', '', "it's"]) {
    it(`refuses ${JSON.stringify(path)}`, () => {
      assert.throws(() => pasteOf([{ path }]), { code: 'prompt.oddName' });
    });
  }
});
