import assert from 'node:assert/strict';
import { keysIn, NotEditableError, withModel, withoutKeys } from '../../../src/opencode/configurationEdits';
import { projectProviders } from '../../../src/opencode/projectModels';
import { assertNoSlower } from '../../support/linearWork';
import { lessonConfiguration } from '../../support/lessonConfiguration';

const endpoint = {
  name: 'models.example',
  npm: '@ai-sdk/openai-compatible',
  baseUrl: 'https://models.example/v1',
};

describe('withModel', () => {
  it('makes a configuration', () => {
    const text = withModel(undefined, {
      providerId: 'mine',
      endpoint,
      model: { id: 'qwen/q3:30b', context: 1000, output: 100 },
    });
    assert.deepEqual(JSON.parse(text), {
      $schema: 'https://opencode.ai/config.json',
      provider: {
        mine: {
          npm: '@ai-sdk/openai-compatible',
          name: 'models.example',
          options: { baseURL: 'https://models.example/v1' },
          models: { 'qwen/q3:30b': { limit: { context: 1000, output: 100 } } },
        },
      },
      model: 'mine/qwen/q3:30b',
    });
    assert.ok(text.includes('\n  "model"'), text);
  });

  it('chooses a model of the lesson, and changes nothing else', () => {
    const text = withModel(lessonConfiguration, { providerId: 'sdcc', model: { id: 'llama-3.3-70b' } });
    assert.equal(
      text.replace(/,?\n {2}"model": "sdcc\/llama-3.3-70b",?/, ''),
      lessonConfiguration.replace(/,(?=\n}\n$)/, ''),
    );
    assert.ok(
      text.includes('// the models of the computing centre') && text.includes('// from the web page'),
    );
  });

  const commented: [name: string, tail: string][] = [
    ['a comment', ' // none yet'],
    ['a comma and a comment', ', // none yet'],
    ['a comma and a comment between stars', ', /* none yet */'],
  ];
  for (const [name, tail] of commented) {
    it(`leaves ${name} behind the last property where it is`, () => {
      const text = withModel(`{\n  // first\n  "instructions": []${tail}\n}\n`, {
        providerId: 'p',
        endpoint,
        model: { id: 'm' },
      });
      assert.match(
        text,
        /^\{\n {2}\/\/ first\n {2}"instructions": \[\], \/[/*] none yet(?: \*\/)?\n {2}"provider"/,
      );
      assert.match(text, /"model": "p\/m",?\n\}\n$/);
    });
  }

  it('takes no longer for a file that is made to cost much', () => {
    const file = (spaces: string): string => `{"$schema": "x" //${spaces}\r}\n`;
    const work = (text: string): void => {
      assert.match(withModel(text, { providerId: 'p', model: { id: 'm' } }), /"p\/m"/);
    };
    assertNoSlower(work, file(' '.repeat(40_000)), file('x'.repeat(40_000)));
  });

  it('keeps the indentation and line ends that the file has', () => {
    const text = withModel('{\r\n\t"share": "manual"\r\n}\r\n', { providerId: 'p', model: { id: 'm' } });
    assert.ok(text.includes('\r\n\t"model": "p/m"'), JSON.stringify(text));
    assert.doesNotMatch(text, /[^\r]\n/);
  });

  it('leads a provider that is there to another address, without its other settings', () => {
    const before =
      '{"provider": {"p": {"name": "P", "options": {"timeout": 5}, "models": {"m": {"name": "M"}}}}}';
    const text = withModel(before, { providerId: 'p', endpoint, model: { id: 'm' } });
    assert.deepEqual((JSON.parse(text) as { provider: unknown }).provider, {
      p: {
        name: 'P',
        options: { timeout: 5, baseURL: 'https://models.example/v1' },
        models: { m: { name: 'M' } },
      },
    });
  });

  it('leaves the limits of a model that is there, with what is said of them, but for what changes', () => {
    const before =
      '{"provider": {"p": {"models": {"m": {"limit": {\n' +
      '// measured\n"context": 100, "input": 60, "output": 10}}}}},\n"model": "p/m"}';
    const choose = (output: number): string =>
      withModel(before, { providerId: 'p', model: { id: 'm', context: 100, output } });
    assert.equal(choose(10), before);
    assert.equal(choose(20), before.replace('"output": 10', '"output": 20'));
  });

  it('takes a provider or model for new although all objects have something of its name', () => {
    const text = withModel('{}', { providerId: 'constructor', endpoint, model: { id: 'toString' } });
    const [provider] = projectProviders([text]);
    assert.equal(provider?.id, 'constructor');
    assert.deepEqual(provider.models, [{ id: 'toString' }]);
  });

  for (const text of [
    '[]',
    '{"a":',
    'null',
    '{} {}',
    '{"provider": "x"}',
    '{"provider": {"p": {"models": []}}}',
    '{"model": "a/b", "model": "c/d"}',
    '['.repeat(200_000),
  ]) {
    it(`refuses ${text.slice(0, 50)}`, () => {
      const choice = { providerId: 'p', model: { id: 'm' } };
      assert.throws(() => withModel(text, choice), NotEditableError);
    });
  }
});

describe('withoutKeys', () => {
  const withKey = lessonConfiguration.replace('your-key-here', 'sk-9f8e7d6c5b4a3f2e');

  it('takes the key out and leaves the rest, comments included', () => {
    const text = withoutKeys(withKey, keysIn(withKey));
    assert.doesNotMatch(text, /sk-9f8e|apiKey/);
    assert.ok(text.includes('// the models of the computing centre'), text);
    assert.deepEqual(projectProviders([text]), projectProviders([lessonConfiguration]));
  });

  it('leaves what only stands in the place of a key', () => {
    assert.deepEqual(keysIn(lessonConfiguration), []);
    const text = '{"provider": {"p": {"options": {"apiKey": "{env:KEY}"}}}}';
    assert.deepEqual(keysIn(text), []);
    assert.equal(withoutKeys(text, [{ providerId: 'p', key: '{env:KEY}' }]), text);
  });

  it('leaves a key of another provider, and another key of the same one', () => {
    for (const other of [
      { providerId: 'other', key: 'sk-9f8e7d6c5b4a3f2e' },
      { providerId: 'sdcc', key: 'sk-another' },
    ]) {
      assert.equal(withoutKeys(withKey, [other]), withKey);
    }
  });

  it('refuses a file in which a key stands twice, because one of them would stay', () => {
    const text = '{"provider": {"p": {"options": {"apiKey": "real-key-one", "apiKey": "real-key-two"}}}}';
    assert.throws(() => withoutKeys(text, keysIn(text)), NotEditableError);
  });
});
