import assert from 'node:assert/strict';
import { isCatalogueSpare } from '../../../src/opencode/catalogue';
import { knownProviders } from '../../../src/opencode/knownProviders';

describe('the catalogue of models', () => {
  const models = { big: { name: 'Big' } };
  const site = { npm: '@ai-sdk/openai-compatible', options: { baseURL: 'https://site/v1' }, models };
  const isSpare = (...projects: readonly object[]): boolean =>
    isCatalogueSpare(projects.map((project) => JSON.stringify(project)));

  it('is spare when the project brings its providers with their models', () => {
    assert.equal(isSpare({ provider: { site } }), true);
    assert.equal(isSpare({ model: 'site/big' }, { provider: { site, other: site } }), true);
  });

  it('is not when anything may come from it', () => {
    assert.equal(isSpare(), false);
    assert.equal(isSpare({}), false);
    assert.equal(isCatalogueSpare(['{ broken']), false);
    assert.equal(isSpare({ provider: { site: { ...site, models: {} } } }), false);
    assert.equal(isSpare({ provider: { site: { ...site, npm: undefined } } }), false);
    assert.equal(isSpare({ provider: { site }, model: 'anthropic/claude' }), false);
    assert.equal(isSpare({ provider: { site, another: {} } }), false);
    assert.equal(isSpare({ provider: { site }, agent: { plan: { model: 'opencode/big-pickle' } } }), false);
  });

  it('is not for a provider that it knows, to which it may add models', () => {
    for (const { id } of knownProviders) assert.equal(isSpare({ provider: { [id]: site } }), false, id);
    assert.equal(isSpare({ provider: { constructor: site } }), true);
  });
});
