import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { type DemoModel, startDemoModel } from '../../scripts/demoModel/server';
import { greetingScenario } from '../support/agentWorkspace';
import { shellImage } from '../support/environment';
import { configurationWithKey } from '../support/lessonConfiguration';
import { waitUntil } from '../support/waitUntil';
import { World } from '../support/world';
import { type LocalModel, startLocalModel } from './modelServers';
import { useWorkbench } from './useWorkbench';

const keys = { endpoint: 'sk-endpoint-3f0a', wrong: 'sk-wrong-71bd', known: 'sk-known-9c24' } as const;
const proxyPassword = 'hunter2-8e1f';
const variable = { name: 'LAB_NAME', value: 'value-of-the-lab' } as const;

const commented = `{
  // the settings of the group
  "$schema": "https://opencode.ai/config.json",
  "instructions": [], // none yet
}
`;

/** The steps of *Configure Model…*, as its boxes are called. */
const box = {
  source: 'Configure Model',
  address: 'Configure Model: Address',
  key: 'API Key',
  model: 'Configure Model: Model',
  limits: 'Configure Model: Limits',
} as const;

describe('Configure Model… and the keys', () => {
  let world: World;
  let proxy: string;
  let endpoint: DemoModel;
  let local: LocalModel;
  before(async () => {
    world = new World(join(mkdtempSync(join(tmpdir(), 'world-')), 'world'));
    // a provider that opencode knows by name, as far as this computer can tell
    await world.site('api.mistral.ai', '93.184.215.14', (request, response) => {
      const isKnown = request.headers.authorization === `Bearer ${keys.known}`;
      response.writeHead(isKnown ? 200 : 401).end(isKnown ? '{"data":[{"id":"codestral-latest"}]}' : '');
    });
    const credentials = `me:${proxyPassword}`;
    const url = await world.siteProxy(`Basic ${Buffer.from(credentials).toString('base64')}`);
    proxy = url.replace('//', `//${credentials}@`);
    endpoint = await startDemoModel({
      scenario: { ...greetingScenario, models: ['coder-large', 'coder-small'] },
      key: keys.endpoint,
    });
    local = await startLocalModel(['local-model']);
  });
  after(async () => {
    await Promise.all([world.close(), endpoint.close(), local.model.close()]);
  });
  const workbench = useWorkbench(() => ({
    name: 'models',
    folderName: 'analysis',
    configuresModel: false,
    // over a proxy that this machine may have: nothing may leave it
    environment: {
      NODE_EXTRA_CA_CERTS: world.authority,
      https_proxy: proxy,
      http_proxy: proxy,
      no_proxy: '',
    },
    settings: { 'sandboxedAgent.image': shellImage() },
  }));

  const file = (): string => join(workbench().folder, 'opencode.json');
  const configuration = (): string => readFileSync(file(), 'utf8');

  async function configure(source: string): Promise<void> {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Configure Model…');
    await page.questions.choose(box.source, source);
  }

  /** Waits until the model is set, and for what the file says then. */
  async function isSet(model: string): Promise<void> {
    const { page } = workbench();
    await page.notificationSays(/The model is set\. Its server answered in \d+ ms/);
    await page.screenshot('set');
    assert.match(configuration(), new RegExp(`"model": "${model}"`));
    for (const key of [...Object.values(keys), proxyPassword]) {
      assert.ok(!configuration().includes(key), configuration());
    }
    await page.clearNotifications();
  }

  it('says that nobody is at an address, and writes nothing', async () => {
    const { page } = workbench();
    writeFileSync(file(), commented);
    await configure('A server with an OpenAI-compatible API…');
    await page.answerInputBox(box.address, 'http://127.0.0.1:9/v1');
    await page.answerInputBox(box.key, '');
    await page.notificationSays(/model unreachable: refused/);
    await page.screenshot('refused');
    assert.equal(configuration(), commented);
    await page.clearNotifications();
  });

  it('sets a model of a server with an OpenAI-compatible API, once it takes the key', async () => {
    const { page } = workbench();
    await configure('A server with an OpenAI-compatible API…');
    await page.answerInputBox(box.address, endpoint.baseUrl);
    await page.screenshot('key');
    await page.answerInputBox(box.key, keys.wrong);
    await page.questions.boxSays(box.key, 'The server did not accept the key');
    await page.screenshot('wrong key');
    await page.answerInputBox(box.key, keys.endpoint);
    assert.deepEqual(await page.questions.offers(box.model), [
      'coder-large',
      'coder-small',
      'Another model…',
    ]);
    await page.screenshot('model');
    await page.questions.choose(box.model, 'coder-large');
    await page.answerInputBox(box.limits, '131072 / 8192');
    await isSet(`at-127-0-0-1-${endpoint.port}/coder-large`);
    assert.match(configuration(), /\/\/ the settings of the group\n[^]*"instructions": \[\], \/\/ none yet/);
    assert.match(configuration(), /"context": 131072,\s*"output": 8192/);
  });

  it('asks before it uses a server that opencode.json names, and moves the key that stands there', async () => {
    const { page } = workbench();
    const address = `localhost:${endpoint.port}`;
    writeFileSync(file(), configurationWithKey(`http://${address}/v1`, keys.endpoint));
    await page.runCommand('Sandboxed Agent: Configure Model…');
    const offers = await page.questions.offers(box.source);
    assert.match(offers[0] ?? '', /^Move to secret storage/);
    assert.match(offers[1] ?? '', /^localhost.*named in opencode\.json, which the agent can write/);
    await page.screenshot('sources');
    await page.questions.choose(box.source, 'named in opencode.json');
    const [, use] = await page.questions.offers('A model that you have not approved');
    assert.ok(use?.includes(`http://${address}/v1 gets the prompts`), use);
    await page.screenshot('not approved');
    await page.questions.choose('A model that you have not approved', `Use ${address}`);
    await page.questions.choose(box.model, 'centre-model');
    await page.notificationSays(/The model is set/);
    assert.match(configuration(), /"model": "centre\/centre-model"/);
    assert.ok(configuration().includes(keys.endpoint));
    await page.screenshot('key in the file');
    await page.answerNotification(/The model is set/, 'Move Key to Secret Storage');
    await page.questions.offers('Move to Secret Storage');
    await page.screenshot('move');
    await page.questions.tick('Move to Secret Storage', address);
    await page.notificationSays(
      /not in opencode\.json any more\. If the file was ever shared.*revoke the key/,
    );
    await page.screenshot('moved');
    assert.ok(!configuration().includes(keys.endpoint));
    assert.match(
      configuration(),
      /\/\/ the models of the computing centre\n[^]*"baseURL": "http:\/\/localhost/,
    );
    await page.clearNotifications();
  });

  it('finds a server on this computer', async () => {
    const { page } = workbench();
    await configure('A server on this computer…');
    await page.questions.offers('Configure Model: Server');
    await page.screenshot('local servers');
    await page.questions.choose('Configure Model: Server', local.name);
    await page.questions.choose(box.model, 'local-model');
    await page.answerInputBox(box.limits, '');
    await isSet('local-[a-z]+/local-model');
    assert.match(configuration(), new RegExp(`"baseURL": "${local.model.baseUrl}"`));
  });

  it('takes a key for a provider that opencode knows by name, through the proxy of the site', async () => {
    const { page } = workbench();
    await configure('A provider that opencode knows…');
    await page.questions.choose('Configure Model: Provider', 'Mistral');
    await page.answerInputBox(box.key, keys.known);
    await page.questions.choose(box.model, 'codestral-latest');
    await isSet('mistral/codestral-latest');
    assert.doesNotMatch(configuration(), /api\.mistral/);
    // in tunnels, so that the proxy sees no key
    assert.deepEqual([...new Set(world.proxied)], ['CONNECT api.mistral.ai:443']);
  });

  it('uses opencode’s hosted models only after a yes', async () => {
    const { page } = workbench();
    const before = configuration();
    await configure('OpenCode’s hosted free models…');
    await page.questions.dialogSays(/everything that the agent reads in this folder, leave for opencode\.ai/);
    await page.screenshot('hosted');
    await page.questions.answerDialog(/leave for opencode\.ai/, 'Cancel');
    assert.equal(configuration(), before);
    assert.ok(!world.proxied.some((request) => request.includes('opencode.ai')));
  });

  it('keeps another key for a server, and says whether that takes it', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Set API Key…');
    await page.questions.offers('Set API Key');
    await page.screenshot('set a key');
    await page.questions.choose('Set API Key', 'Mistral');
    await page.answerInputBox(box.key, keys.wrong);
    await page.notificationSays(/The key is kept; the server did not accept it/);
    await page.screenshot('key not accepted');
    await page.answerNotification(/The key is kept/, 'Set API Key…');
    await page.questions.choose('Set API Key', 'Mistral');
    await page.answerInputBox(box.key, keys.known);
    await page.notificationSays(/The key is kept\. The model’s server took it, and answered in \d+ ms/);
    await page.clearNotifications();
  });

  it('forgets a key, and says that it is not revoked', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Remove API Key…');
    assert.deepEqual(await page.questions.offers('Remove API Key'), [
      `http://127.0.0.1:${endpoint.port}/v1`,
      `http://localhost:${endpoint.port}/v1`,
      'https://api.mistral.ai/v1',
    ]);
    await page.screenshot('remove a key');
    await page.questions.choose('Remove API Key', 'api.mistral.ai');
    await page.notificationSays(/The key is removed\. .*it is not revoked/);
    await page.clearNotifications();
    await page.runCommand('Sandboxed Agent: Remove API Key…');
    assert.equal((await page.questions.offers('Remove API Key')).length, 2);
    await page.screenshot('two keys');
    await page.questions.cancel('Remove API Key');
  });

  it('gives the agent a variable, and no key', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Set Environment Variable…');
    await page.answerInputBox('Set Environment Variable', variable.name);
    await page.questions.boxSays('Set Environment Variable', 'Its value');
    await page.answerInputBox('Set Environment Variable', variable.value);
    await page.notificationSays(/variable/i);
    await page.screenshot('variable');
    await page.clearNotifications();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.terminalShows(/Apptainer>/);
    await page.typeIntoTerminal(`clear; echo "<$${variable.name}>"; env | grep -c sk-\r`);
    await page.terminalShows(new RegExp(`<${variable.value}>\\s+0`));
  });

  it('and none of these secrets is in the diagnostics', async () => {
    const { page, folder } = workbench();
    const target = join(folder, 'diagnostics.zip');
    await page.runCommand('Sandboxed Agent: Collect Diagnostics…');
    await page.answerInputBox('Save diagnostics', target, /\.zip$/);
    await page.notificationSays(/The diagnostics were saved/);
    const parts = await waitUntil('the file is there', () => readZip(target));
    assert.match(parts.join('\n'), /"kind": "shell"/);
    for (const secret of [...Object.values(keys), proxyPassword, variable.value]) {
      assert.ok(parts.every((text) => !text.includes(secret)));
    }
    await page.runCommand('Sandboxed Agent: Stop');
    await page.statusSays(/Agent: ready/);
  });
});

function readZip(path: string): string[] | undefined {
  try {
    return Object.values(unzipSync(readFileSync(path))).map((bytes) => strFromU8(bytes));
  } catch {
    return undefined;
  }
}
