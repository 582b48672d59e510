import assert from 'node:assert/strict';
import { explainStarterEnd } from '../../../src/supervisor/starterEnd';
import { exampleSpecification } from '../../support/exampleSpecification';

describe('explainStarterEnd', () => {
  const ended = (exitCode: number, companionCame: boolean | undefined) =>
    explainStarterEnd({
      specification: exampleSpecification(),
      wasAtGate: true,
      companionCame,
      exitCode,
      signal: undefined,
      diagnostics: '',
    });

  it('says that the way to the gateway could not be opened', () => {
    const { reason, explanation } = ended(88, true);
    assert.equal(reason, 'failed');
    assert.match(explanation?.text ?? '', /gateway could not be opened/);
  });

  it('says that opencode is too old', () => {
    assert.match(ended(89, true).explanation?.text ?? '', /too old/);
  });

  it('takes any other status for the agent’s own, and the same ones of a shell', () => {
    assert.deepEqual(ended(3, true), { reason: 'exited', exitCode: 3 });
    assert.deepEqual(ended(88, undefined), { reason: 'exited', exitCode: 88 });
  });
});
