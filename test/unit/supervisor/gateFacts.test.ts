import assert from 'node:assert/strict';
import { assignedNames } from '../../../src/supervisor/gateFacts';
import { assertNoSlower } from '../../support/linearWork';

describe('the names that a script of an image assigns', () => {
  it('are those at the beginning of a line', () => {
    const script = '#!/bin/sh\n\n  A=1\nexport  B_2="x=y"\n\tC=\n# D=1\necho E=1\n3F=1\nexport G\n';
    assert.deepEqual(assignedNames(script), ['A', 'B_2', 'C']);
  });

  it('take no longer to find among thousands of empty lines', () => {
    const script = (line: string): string => line.repeat(20_000);
    assertNoSlower(assignedNames, script('\n'), script('x'));
  });
});
