import assert from 'node:assert/strict';
import { isKey, type ProjectProvider, projectProviders } from '../../../src/opencode/projectModels';
import { lessonConfiguration } from '../../support/lessonConfiguration';

describe('projectProviders', () => {
  const of = (...projects: unknown[]): ProjectProvider[] =>
    projectProviders(projects.map((project) => JSON.stringify(project)));

  it('reads the file of the lesson', () => {
    assert.deepEqual(projectProviders([lessonConfiguration]), [
      {
        id: 'sdcc',
        isDefined: true,
        npm: '@ai-sdk/openai-compatible',
        address: { baseUrl: 'https://models.sdcc.example/v1' },
        setsKeyHeader: false,
        models: [
          { id: 'qwen3-coder:30b', context: 131072, output: 32768 },
          { id: 'llama-3.3-70b', context: 65536, output: 8192 },
        ],
      },
    ]);
  });

  it('finds providers of which only a model is chosen', () => {
    const ids = of({ model: 'anthropic/claude', agent: { a: { model: 'x/y' } }, provider: { p: {} } }).map(
      ({ id, isDefined }) => [id, isDefined],
    );
    assert.deepEqual(ids, [
      ['p', true],
      ['anthropic', false],
      ['x', false],
    ]);
  });

  it('lets the later file win, as opencode does', () => {
    const [provider] = of(
      { provider: { p: { npm: 'one', options: { baseURL: 'http://one/v1', apiKey: 'a-real-key-1' } } } },
      { provider: { p: { options: { baseURL: 'http://two/v1' } } } },
    );
    assert.deepEqual(provider?.address, { baseUrl: 'http://two/v1' });
    assert.equal(provider.literalKey, 'a-real-key-1');
    assert.equal(provider.npm, 'one');
  });

  it('takes `api` for the address when there is no baseURL', () => {
    assert.deepEqual(of({ provider: { p: { api: 'http://a/v1' } } })[0]?.address, { baseUrl: 'http://a/v1' });
    const both = of({ provider: { p: { api: 'http://a/v1', options: { baseURL: 'http://b/v1' } } } });
    assert.deepEqual(both[0]?.address, { baseUrl: 'http://b/v1' });
  });

  for (const url of [
    'https://user:pass@models.example/v1',
    'file:///etc/passwd',
    '{env:URL}',
    'http://$(id)/v1',
    'https://a b/v1',
    'https://',
    `https://api.openai.com.${'a'.repeat(60)}.evil.example/v1`,
    'x'.repeat(5000),
  ]) {
    it(`refuses the address ${url.slice(0, 40)}`, () => {
      const [provider] = of({ provider: { p: { options: { baseURL: url } } } });
      assert(provider?.address !== undefined && 'refused' in provider.address);
    });
  }

  it('writes a host of other letters as it is looked up', () => {
    const [provider] = of({ provider: { p: { options: { baseURL: 'https://mödels.example/v1' } } } });
    assert.deepEqual(provider?.address, { baseUrl: 'https://xn--mdels-jua.example/v1' });
  });

  it('tells headers that could be a key', () => {
    const [options, model, other] = of({
      provider: {
        a: { options: { headers: { authorization: 'x' } } },
        b: { models: { m: { headers: { 'X-Api-Key': 'x' } } } },
        c: { options: { headers: { 'X-Project': 'x' } } },
      },
    });
    assert.deepEqual(
      [options?.setsKeyHeader, model?.setsKeyHeader, other?.setsKeyHeader],
      [true, true, false],
    );
  });

  it('leaves out what can’t be', () => {
    const [provider, ...others] = of({
      provider: {
        p: {
          npm: '../../x;rm',
          options: { baseURL: 5, apiKey: ['x'] },
          models: { 'a b': {}, '{file:/x}': {}, ok: { limit: { context: -1, output: '5' } }, n: null },
        },
        '{env:HOME}': {},
        '..': {},
      },
    });
    assert.deepEqual(provider, {
      id: 'p',
      isDefined: true,
      setsKeyHeader: false,
      models: [{ id: 'ok' }, { id: 'n' }],
    });
    assert.deepEqual(others, []);
  });

  it('survives hostile texts', () => {
    for (const text of [
      '',
      '[]',
      '{"provider": "x"}',
      '['.repeat(500_000),
      '{"provider":'.repeat(100_000),
      '{"__proto__": {"provider": {"evil": {}}}}',
      '{"provider": {"__proto__": {"evil": {}}}}',
      // no longer text is ever read
      `{"provider": ${' '.repeat(1_000_000)}`,
    ]) {
      assert.deepEqual(projectProviders([text]), [], text.slice(0, 40));
    }
    assert.equal(({} as Record<string, unknown>)['provider'], undefined);
  });

  it('takes no address from a prototype that the text makes up', () => {
    const text =
      '{"model": "p/m", "provider": {"__proto__": {"p": {"options": {"baseURL": "http://a/v1"}}}}}';
    assert.deepEqual(projectProviders([text]), [
      { id: 'p', isDefined: false, setsKeyHeader: false, models: [] },
    ]);
  });

  it('takes the last of a name that stands twice, as opencode does', () => {
    const text = '{"provider": {"p": {"options": {"baseURL": "http://a/", "baseURL": "http://b/"}}}}';
    assert.deepEqual(projectProviders([text])[0]?.address, { baseUrl: 'http://b' });
  });
});

describe('isKey', () => {
  it('knows what stands in the place of a key', () => {
    for (const text of [
      ...['', 'none', 'placeholder', 'your-key-here', 'YOUR_API_KEY', '<your key>', 'sk-...', 'sk-xxxxxxxx'],
      ...['{env:KEY}', '{file:~/.key}', 'ollama', 'EMPTY', 'not-needed', 'dummy', 'xxx', '***', 'with space'],
      ...['ключ', 'a\nb', 'x'.repeat(5000)],
    ]) {
      assert.equal(isKey(text), false, text.slice(0, 40));
    }
  });

  it('knows what can be one', () => {
    for (const text of ['sk-proj-9f8e7d6c5b4a', 'b2c5a1f0-0d9e-4d1c', 'hf_AbCdEfGhIj', 'token-abc123']) {
      assert.equal(isKey(text), true, text);
    }
  });
});
