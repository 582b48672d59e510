import assert from 'node:assert/strict';
import { readArguments } from '../../../scripts/test/arguments';
import { usualStages } from '../../../scripts/test/stages';

describe('the arguments of npm test', () => {
  it('are the usual stages when there are none', () => {
    assert.deepEqual(readArguments([]), { stages: usualStages, options: [] });
  });

  it('hand the rest of the line to mocha', () => {
    assert.deepEqual(readArguments(['unit', 'vsix', '--grep', 'ui']), {
      stages: ['unit', 'vsix'],
      options: ['--grep', 'ui'],
    });
    assert.deepEqual(readArguments(['--bail']), { stages: usualStages, options: ['--bail'] });
  });

  it('name the stages when one is misspelt', () => {
    assert.throws(() => readArguments(['unti']), /"unti".*unit, sandbox, extension, ui, vsix/);
  });
});
