import assert from 'node:assert/strict';
import { addressLabel } from '../../../../src/ui/models/addressLabel';

describe('addressLabel', () => {
  it('is the host with its port', () => {
    assert.equal(addressLabel('https://models.example/v1'), 'models.example:443');
    assert.equal(addressLabel('http://127.0.0.1/v1'), '127.0.0.1:80');
    assert.equal(addressLabel('http://[::1]:8000'), '[::1]:8000');
  });

  it('shows the end of a long host, which says whose it is', () => {
    const label = addressLabel(`https://api.openai.com.${'a'.repeat(40)}.evil.example/v1`);
    assert.match(label, /^….*\.evil\.example:443$/);
    assert.doesNotMatch(label, /openai/);
  });
});
