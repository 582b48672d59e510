import assert from 'node:assert/strict';
import { startDemoModel } from '../../../scripts/demoModel/server';
import { findLocalServers, isOffered } from '../../../src/launch/localModels';
import { wantedModels } from '../../../src/launch/modelAccess';
import {
  endpointTarget,
  keyTargets,
  knownTarget,
  leadTo,
  namedTarget,
  needsAddress,
  offeredModels,
  signedTarget,
} from '../../../src/launch/modelTargets';
import { withModel } from '../../../src/opencode/configurationEdits';
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

describe('keyTargets', () => {
  it('has known providers first, and a file’s address that looks like one after them, with its folders', () => {
    const options = { baseURL: 'https://api.anthropic.com.v1.evil.example/v1' };
    const text = JSON.stringify({ model: 'openai/gpt', provider: { Anthropic: { options } } });
    const inFolder = (folder: string) => wantedModels([text]).map((wanted) => ({ folder, wanted }));
    const targets = keyTargets([...inFolder('/a'), ...inFolder('/b')]);
    assert.deepEqual(
      targets.map(({ target }) => target.kind),
      [...targets.slice(1).map(() => 'known'), 'named'],
    );
    assert.equal(targets[0]?.target.baseUrl, 'https://api.anthropic.com/v1');
    assert.deepEqual(targets[0].folders, []);
    const last = targets.at(-1);
    assert.deepEqual([last?.target.baseUrl, last?.folders], [options.baseURL, ['/a', '/b']]);
    const addresses = targets.map(({ target }) => target.baseUrl);
    assert.equal(new Set(addresses).size, addresses.length);
  });
});

describe('the address of a target', () => {
  const target = known('openai');
  const naming = (settings: object): string[] => [JSON.stringify({ provider: { openai: settings } })];
  const choose = (texts: string[]): string =>
    withModel(texts[0], {
      providerId: 'openai',
      model: { id: 'gpt' },
      ...(needsAddress(target, texts)
        ? { endpoint: { name: target.name, npm: target.npm, baseUrl: target.baseUrl } }
        : {}),
    });

  it('is not written for a provider that opencode knows', () => {
    for (const texts of [[], ['{}'], naming({}), naming({ options: { baseURL: target.baseUrl } })]) {
      assert.equal(needsAddress(target, texts), false);
      assert.ok(leadTo([choose(texts)], target));
    }
  });

  it('is written when the files lead its id elsewhere, and they lead to it then', () => {
    for (const baseURL of ['https://elsewhere.example/v1', 'https://elsewhere.example/v1?x=1']) {
      const texts = naming({ options: { baseURL } });
      assert.equal(leadTo(texts, target), false);
      assert.equal(needsAddress(target, texts), true);
      assert.ok(leadTo([choose(texts)], target));
    }
  });

  it('is written for a server of one’s own', () => {
    assert.ok(needsAddress(endpointTarget('https://m.example/v1', []), []));
  });

  it('leads nowhere when the files name a package that the gateway does not know', () => {
    assert.equal(leadTo([choose(naming({ npm: '@ai-sdk/google' }))], target), false);
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

describe('whose local server is offered', () => {
  it('is this user, and the system with its services', () => {
    for (const listeners of [[1001], [0], [998], [1001, 998], []]) {
      assert.ok(isOffered(listeners, 1001), String(listeners));
    }
  });

  it('is no other user, not even beside one of these, and nobody when that is not known', () => {
    for (const listeners of [[1002], [1001, 1002], [0, 1002], [65534], undefined]) {
      assert.ok(!isOffered(listeners, 1001), String(listeners));
    }
  });
});
