import assert from 'node:assert/strict';
import {
  managedConfiguration,
  startingProvider,
  withModelGateway,
} from '../../../src/opencode/managedConfiguration';

const always = { share: 'disabled', autoupdate: false };

function managed(...projects: unknown[]): Record<string, unknown> {
  return managedConfiguration(projects.map((project) => JSON.stringify(project)));
}

describe('managedConfiguration', () => {
  it('keeps prompts from a hosted model that nobody chose', () => {
    assert.deepEqual(managedConfiguration([]), { ...always, disabled_providers: ['opencode'] });
    assert.deepEqual(managed({ provider: {} }), { ...always, disabled_providers: ['opencode'] });
    assert.deepEqual(managed({ model: 'anthropic/claude' }), {
      ...always,
      disabled_providers: ['opencode'],
      small_model: 'anthropic/claude',
    });
  });

  it('lets somebody choose it', () => {
    assert.deepEqual(managed({ model: 'opencode/big-pickle' }), {
      ...always,
      small_model: 'opencode/big-pickle',
    });
  });

  it('starts on the model that the project brings', () => {
    const project = { provider: { sdcc: { models: { 'meta-llama/Llama-3.3': {}, other: {} } }, second: {} } };
    assert.deepEqual(managed(project), {
      ...always,
      enabled_providers: ['sdcc', 'second'],
      model: 'sdcc/meta-llama/Llama-3.3',
      small_model: 'sdcc/meta-llama/Llama-3.3',
    });
  });

  it('takes the first provider that has a model', () => {
    const { model } = managed({
      provider: { empty: {}, wrong: { models: [] }, full: { models: { 'm:1b': {} } } },
    });
    assert.equal(model, 'full/m:1b');
  });

  it('leaves the model that the project names, and lets its provider be used', () => {
    const project = {
      provider: { sdcc: { models: { a: {} } } },
      model: 'anthropic/claude',
      small_model: 'sdcc/a',
    };
    assert.deepEqual(managed(project), { ...always, enabled_providers: ['sdcc', 'anthropic'] });
  });

  it('lets the providers of single agents be used', () => {
    const project = {
      provider: { sdcc: {} },
      agent: { plan: { model: 'google/gemini' } },
      mode: { x: { model: 'y/z' } },
    };
    assert.deepEqual(managed(project)['enabled_providers'], ['sdcc', 'google', 'y']);
  });

  it('reads comments and trailing commas, and both files', () => {
    const texts = [
      '{ /* c */ "provider": { "one": {}, }, }',
      '{ "provider": { "two": { "models": { "m": {} } } } // c\n}',
    ];
    assert.deepEqual(managedConfiguration(texts), {
      ...always,
      enabled_providers: ['one', 'two'],
      model: 'two/m',
      small_model: 'two/m',
    });
  });

  it('takes only ids that can be ids', () => {
    const provider = Object.fromEntries(
      ['', 'a b', '../x', 'x'.repeat(65), '{env:HOME}', 'ok-1.2_3', '{file:/etc/passwd}'].map((id) => [
        id,
        { models: { '{file:/etc/passwd}': {}, [`${'y'.repeat(200)}`]: {}, fine: {} } },
      ]),
    );
    assert.deepEqual(managed({ provider }), {
      ...always,
      enabled_providers: ['ok-1.2_3'],
      model: 'ok-1.2_3/fine',
      small_model: 'ok-1.2_3/fine',
    });
  });

  it('takes no more than fifty providers', () => {
    const provider = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`p${index}`, {}]));
    assert.equal((managed({ provider })['enabled_providers'] as unknown[]).length, 50);
  });

  it('survives hostile texts', () => {
    const texts = [
      ...[
        '',
        'null',
        '[]',
        '"x"',
        '{',
        '{"provider": ',
        '\0',
        '{"provider": "x", "agent": [1], "model": {}}',
      ],
      ...['['.repeat(500_000), '{"a":'.repeat(200_000), '{"provider": null, "agent": {"x": null}}'],
      '{"__proto__": {"provider": {"evil": {"models": {"m": {}}}}}}',
      '{"constructor": {"prototype": {"provider": {"evil": {}}}}}',
    ];
    for (const text of texts) {
      assert.deepEqual(
        managedConfiguration([text]),
        { ...always, disabled_providers: ['opencode'] },
        text.slice(0, 80),
      );
    }
    assert.equal(({} as Record<string, unknown>)['provider'], undefined);
  });

  it('takes no model from a prototype that the text makes up', () => {
    const text = '{"__proto__": {"model": "opencode/x"}}';
    assert.deepEqual(managedConfiguration([text]), managedConfiguration(['{}']));
  });

  it('switches providers off, whoever names them', () => {
    const project = JSON.stringify({ provider: { sdcc: {}, evil: {} } });
    const configuration = managedConfiguration([project], { withheld: ['evil', 'opencode'] });
    assert.deepEqual(configuration['enabled_providers'], ['sdcc', 'evil']);
    assert.deepEqual(configuration['disabled_providers'], ['evil', 'opencode']);
    assert.deepEqual(managedConfiguration([], { withheld: ['opencode', 'x'] })['disabled_providers'], [
      'opencode',
      'x',
    ]);
  });

  it('hands no odd model on as the small one', () => {
    for (const model of ['{file:/etc/passwd}/x', 'sdcc', 'sdcc/', 'sdcc/{env:KEY}', 'a b/c']) {
      assert.equal(managed({ provider: { sdcc: {} }, model })['small_model'], undefined, model);
    }
    assert.equal(managed({ model: 'a/b' }, { model: 'c/d' })['small_model'], 'c/d');
  });
});

describe('withModelGateway', () => {
  const gateway = { baseUrl: 'http://127.0.0.1:3129', token: 'ab'.repeat(32) };
  const upstream = (providerId: string) =>
    ({ providerId, baseUrl: 'https://m.example/v1', authentication: 'bearer' }) as const;

  it('leads each model to a path of its own, with the token for a key, and keeps the rest', () => {
    const before = { share: 'disabled', provider: { a: { options: { timeout: 1 } }, c: { name: 'c' } } };
    const after = withModelGateway(before, [upstream('a'), upstream('b')], gateway);
    assert.deepEqual(after, {
      share: 'disabled',
      provider: {
        a: { options: { timeout: 1, baseURL: 'http://127.0.0.1:3129/a', apiKey: gateway.token } },
        b: { options: { baseURL: 'http://127.0.0.1:3129/b', apiKey: gateway.token } },
        c: { name: 'c' },
      },
    });
    assert.deepEqual(before.provider.a, { options: { timeout: 1 } });
  });

  it('changes nothing without models, and survives an id that means something in JavaScript', () => {
    assert.deepEqual(withModelGateway({ share: 'x' }, [], gateway), { share: 'x' });
    const after = JSON.stringify(withModelGateway({}, [upstream('__proto__')], gateway));
    assert.match(after, /"__proto__":\{"options":\{"baseURL":"http:\/\/127\.0\.0\.1:3129\/__proto__"/);
    assert.equal(({} as Record<string, unknown>)['options'], undefined);
  });
});

describe('startingProvider', () => {
  it('is that of the model that the project names last, else the first that has a model', () => {
    const providers =
      '"provider": {"empty": {}, "lab": {"models": {"m": {}}}, "other": {"models": {"n": {}}}}';
    assert.equal(startingProvider([`{${providers}}`]), 'lab');
    assert.equal(startingProvider([`{"model": "other/n", ${providers}}`]), 'other');
    assert.equal(startingProvider(['{"model": "other/n"}', '{"model": "lab/a/b"}']), 'lab');
    assert.equal(startingProvider(['no JSON']), undefined);
  });
});
