import assert from 'node:assert/strict';
import { agentEnvironment } from '../../../src/opencode/environment';

describe('agentEnvironment', () => {
  it('silences opencode and keeps colours', () => {
    assert.equal(agentEnvironment['OPENCODE_DISABLE_MODELS_FETCH'], '1');
    assert.equal(agentEnvironment['OPENCODE_DISABLE_AUTOUPDATE'], '1');
    assert.equal(agentEnvironment['NPM_CONFIG_OFFLINE'], 'true');
    assert.equal(agentEnvironment['COLORTERM'], 'truecolor');
    assert.equal(agentEnvironment['LANG'], 'C.UTF-8');
  });
});
