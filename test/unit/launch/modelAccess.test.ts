import assert from 'node:assert/strict';
import { modelAccess, type ModelGrants, wantedModels } from '../../../src/launch/modelAccess';
import { managedConfiguration } from '../../../src/opencode/managedConfiguration';
import { formatMessage } from '../../../src/sandbox/message';
import { modelUpstream } from '../../../src/sandbox/networkAccess';
import { parseAs } from '../../../src/sandbox/parseAs';
import { lessonConfiguration } from '../../support/lessonConfiguration';

const sdcc = 'https://models.sdcc.example/v1';

describe('modelAccess', () => {
  const grants = (approved: readonly string[], keys: Record<string, string> = {}): ModelGrants => ({
    approved,
    keys: new Map(Object.entries(keys)),
  });

  function access(project: unknown, given: ModelGrants) {
    const text = typeof project === 'string' ? project : JSON.stringify(project);
    const { notes, ...rest } = modelAccess('/w', [text], given);
    rest.models.forEach((model) => parseAs(modelUpstream, model));
    return { ...rest, notes: notes.map(formatMessage).join('\n') };
  }

  it('reaches the model of the lesson, whose key is none, once it is approved', () => {
    assert.deepEqual(access(lessonConfiguration, grants([sdcc])), {
      models: [{ providerId: 'sdcc', baseUrl: sdcc, authentication: 'none' }],
      keys: {},
      withheld: [],
      notes: '',
    });
    assert.deepEqual(access(lessonConfiguration, grants([sdcc], { [sdcc]: 'stored' })), {
      models: [{ providerId: 'sdcc', baseUrl: sdcc, authentication: 'bearer' }],
      keys: { sdcc: 'stored' },
      withheld: [],
      notes: '',
    });
  });

  it('has no key for a provider only because all objects have something of its name', () => {
    const options = { baseURL: 'https://m.example/v1' };
    const ids = ['constructor', 'toString', 'hasOwnProperty'];
    const project = { provider: Object.fromEntries(ids.map((id) => [id, { options }])) };
    const without = access(project, grants([options.baseURL]));
    assert.deepEqual(Object.entries(without.keys), []);
    assert.deepEqual(
      without.models.map(({ providerId, authentication }) => [providerId, authentication]),
      ids.map((id) => [id, 'none']),
    );
    const { keys } = access(project, grants([options.baseURL], { [options.baseURL]: 'stored' }));
    assert.deepEqual(
      Object.entries(keys),
      ids.map((id) => [id, 'stored']),
    );
    access('{"model": "__proto__/m", "provider": {"__proto__": {}}}', grants([]));
  });

  it('takes no time for as many providers as a file has room for', () => {
    const providers = Array.from({ length: 80_000 }, (_, index) => `"${index.toString(36)}":{}`);
    const text = `{"provider": {${providers.join()}}}`;
    assert(text.length < 1024 * 1024);
    const before = process.cpuUsage();
    wantedModels([text]);
    modelAccess('/w', [text], grants([]));
    managedConfiguration([text]);
    const { user, system } = process.cpuUsage(before);
    // it took 47 s when objects were copied on the way to what is in them
    assert((user + system) / 1e6 < 3, `${(user + system) / 1e6} s`);
  });

  it('withholds it before', () => {
    const { models, keys, withheld, notes } = access(lessonConfiguration, grants([], { [sdcc]: 'stored' }));
    assert.deepEqual([models, keys, withheld], [[], {}, ['sdcc']]);
    assert.match(notes, /sdcc, which is switched off.*not approved/);
  });

  it('gives a key to no other address, whatever name that has', () => {
    const project = { provider: { sdcc: { options: { baseURL: 'https://evil.example/v1' } } } };
    const { keys, models } = access(project, grants([sdcc, 'https://evil.example/v1'], { [sdcc]: 'stored' }));
    assert.deepEqual(keys, {});
    assert.equal(models[0]?.authentication, 'none');
    const known = { provider: { openai: { options: { baseURL: 'https://evil.example/v1' } } } };
    const all = grants(['https://evil.example/v1'], { 'https://api.openai.com/v1': 'stored' });
    assert.deepEqual(access(known, all).keys, {});
  });

  it('uses a key that stands in the file, says so, and prefers the stored one', () => {
    const options = { baseURL: `${sdcc}/`, apiKey: 'sk-9f8e7d6c5b4a' };
    const project = { provider: { sdcc: { options } } };
    const literal = access(project, grants([sdcc]));
    assert.deepEqual(literal.keys, { sdcc: 'sk-9f8e7d6c5b4a' });
    assert.match(literal.notes, /moves it to secret storage/);
    assert.doesNotMatch(literal.notes, /sk-9f8e/);
    const stored = access(project, grants([sdcc], { [sdcc]: 'stored' }));
    assert.deepEqual([stored.keys, stored.notes], [{ sdcc: 'stored' }, '']);
  });

  it('signs as the provider’s API wants it', () => {
    const project = {
      provider: {
        anthropic: {},
        azure: { npm: '@ai-sdk/azure', options: { baseURL: 'https://a.example/openai' } },
        mine: { npm: '@ai-sdk/anthropic', options: { baseURL: 'https://m.example/v1' } },
      },
      model: 'openai/gpt',
    };
    const urls = ['https://api.anthropic.com/v1', 'https://a.example/openai', 'https://m.example/v1'];
    const all = [...urls, 'https://api.openai.com/v1'];
    const { models } = access(project, grants(all, Object.fromEntries(all.map((url) => [url, 'k']))));
    assert.deepEqual(
      models.map(({ providerId, authentication }) => [providerId, authentication]),
      [
        ['anthropic', 'x-api-key'],
        ['azure', 'api-key'],
        ['mine', 'x-api-key'],
        ['openai', 'bearer'],
      ],
    );
  });

  it('wants an approval for hosted models, too, and uses their public key', () => {
    const project = { model: 'opencode/big-pickle' };
    assert.deepEqual(access(project, grants([])).withheld, ['opencode']);
    const { models, keys, withheld } = access(project, grants(['https://opencode.ai/zen/v1']));
    assert.deepEqual([keys, withheld], [{ opencode: 'public' }, []]);
    assert.equal(models[0]?.authentication, 'bearer');
    const renamed = { provider: { opencode: { options: { baseURL: 'https://evil.example/v1' } } } };
    assert.deepEqual(access(renamed, grants(['https://evil.example/v1'])).keys, {});
  });

  it('withholds what has an address that can’t be used, or an API that the gateway does not know', () => {
    for (const settings of [
      { options: { baseURL: '{env:URL}' } },
      { options: { baseURL: 'https://u:p@m.example/' } },
      { npm: '@ai-sdk/google', options: { baseURL: 'https://m.example/v1' } },
    ]) {
      const { models, withheld, notes } = access(
        { provider: { p: settings } },
        grants(['https://m.example/v1', 'https://m.example']),
      );
      assert.deepEqual([models, withheld], [[], ['p']], JSON.stringify(settings));
      assert.notEqual(notes, '');
    }
  });

  it('says which provider can’t be reached, and repeats nothing else of the file', () => {
    const { withheld, notes } = access({ model: 'google/gemini' }, grants([]));
    assert.deepEqual(withheld, []);
    assert.match(notes, /google, which the model gateway can’t reach/);
    const hostile = access(
      { provider: { p: { options: { baseURL: 'http://[x](command:y)' } } } },
      grants([]),
    );
    assert.doesNotMatch(hostile.notes, /command:/);
  });

  it('tells of headers with keys, which the gateway refuses', () => {
    const project = {
      provider: { sdcc: { options: { baseURL: sdcc, headers: { Authorization: 'Bearer x' } } } },
    };
    assert.match(access(project, grants([sdcc])).notes, /sets a header with a key/);
  });

  it('survives an id that means something in JavaScript', () => {
    const project = { provider: { constructor: { options: { baseURL: sdcc } }, toString: {} } };
    const { models, keys } = access(project, grants([sdcc], { [sdcc]: 'stored' }));
    assert.deepEqual(
      [models.map(({ providerId }) => providerId), keys],
      [['constructor'], { constructor: 'stored' }],
    );
  });
});

describe('wantedModels', () => {
  it('names every address to which a project leads, once it is in its only form', () => {
    const project = {
      provider: { a: { options: { baseURL: 'HTTPS://Models.SDCC.example:443/v1/' } }, groq: {}, odd: {} },
      model: 'opencode/big-pickle',
    };
    assert.deepEqual(
      wantedModels([JSON.stringify(project)]).map(({ baseUrl }) => baseUrl),
      [sdcc, 'https://api.groq.com/openai/v1', 'https://opencode.ai/zen/v1'],
    );
  });
});
