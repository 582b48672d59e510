import assert from 'node:assert/strict';
import { startDemoModel } from '../../../scripts/demoModel/server';
import { findLocalServers } from '../../../src/launch/localModels';
import { wantedModels } from '../../../src/launch/modelAccess';
import {
  endpointTarget,
  knownTarget,
  namedTarget,
  offeredModels,
  signedTarget,
} from '../../../src/launch/modelTargets';
import { knownProvider } from '../../../src/opencode/knownProviders';
import { lessonConfiguration } from '../../support/lessonConfiguration';

const named = wantedModels([lessonConfiguration]);
const known = (id: string) => {
  const provider = knownProvider(id);
  assert(provider);
  return knownTarget(provider);
};

describe('endpointTarget', () => {
  it('makes an id of the host', () => {
    const { providerId, name } = endpointTarget('https://Models.example:8443/v1'.toLowerCase(), []);
    assert.deepEqual([providerId, name], ['at-models-example-8443', 'models.example:8443']);
    assert.match(endpointTarget('http://[::1]:8000/v1', []).providerId, /^at-1-8000$/);
  });

  it('keeps the id of an address that the workspace names, and takes no other that is there', () => {
    assert.equal(endpointTarget('https://models.sdcc.example/v1', named).providerId, 'sdcc');
    const text = '{"provider": {"at-m-example": {"options": {"baseURL": "https://m.example/other"}}}}';
    assert.equal(endpointTarget('https://m.example/v1', wantedModels([text])).providerId, 'at-m-example-2');
  });
});

describe('signedTarget', () => {
  it('sends a key as the API wants it, and none without one', () => {
    assert.deepEqual(signedTarget(known('anthropic'), 'k').authentication, 'x-api-key');
    assert.deepEqual(signedTarget(known('openai'), 'k').authentication, 'bearer');
    assert.deepEqual(signedTarget(known('openai'), undefined), {
      providerId: 'openai',
      baseUrl: 'https://api.openai.com/v1',
      authentication: 'none',
    });
    assert.equal(signedTarget(known('opencode'), undefined).key, 'public');
  });
});

describe('offeredModels', () => {
  it('offers what the file knows first', () => {
    assert.deepEqual(offeredModels(namedTarget(named[0]!), ['other', 'llama-3.3-70b']), [
      'qwen3-coder:30b',
      'llama-3.3-70b',
      'other',
    ]);
  });

  it('offers only hosted models that cost nothing', () => {
    assert.deepEqual(offeredModels(known('opencode'), ['gpt-5', 'big-pickle', 'x-free', 'free-y']), [
      'big-pickle',
      'x-free',
    ]);
  });
});

describe('findLocalServers', () => {
  it('finds those that answer, with their models, and not those that do not', async () => {
    const model = await startDemoModel();
    const closed = await startDemoModel();
    await closed.close();
    try {
      const servers = [
        { name: 'There', providerId: 'local-a', baseUrl: model.baseUrl },
        { name: 'Gone', providerId: 'local-b', baseUrl: closed.baseUrl },
      ];
      const found = await findLocalServers(servers, new AbortController().signal);
      assert.deepEqual(
        found.map(({ name, models }) => [name, models.length > 0]),
        [['There', true]],
      );
    } finally {
      await model.close();
    }
  });

  it('can be given up', async () => {
    const giving = new AbortController();
    giving.abort(new Error('given up'));
    const servers = [{ name: 'There', providerId: 'local-a', baseUrl: 'http://127.0.0.1:9/v1' }];
    await assert.rejects(findLocalServers(servers, giving.signal), /given up/);
  });
});
