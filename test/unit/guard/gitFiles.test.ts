import assert from 'node:assert/strict';
import { configuredPaths, namedFolder } from '../../../src/guard/gitFiles';

describe('what git’s files name', () => {
  it('is the folder of a work tree or submodule', () => {
    assert.equal(namedFolder('gitdir: ../.git/modules/a\n', 'gitdir'), '../.git/modules/a');
    assert.equal(namedFolder('../..\n', 'commondir'), '../..');
    assert.equal(namedFolder('something else\n', 'gitdir'), undefined);
    assert.equal(namedFolder('', 'commondir'), undefined);
  });

  it('is where hooks and more configuration are', () => {
    const text = [
      '[core]',
      '\trepositoryformatversion = 0',
      '\thooksPath = .githooks',
      '[include] path = one',
      '\tPATH = "two three"',
      '[includeIf "gitdir:~/x/"]',
      'path = ~/outside',
      'path=../four',
      '[remote "origin"]',
      '\tpath = no',
    ].join('\n');
    assert.deepEqual(configuredPaths(text), {
      hooks: ['.githooks'],
      includes: ['one', 'two three', '../four'],
    });
  });
});
