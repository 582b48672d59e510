import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runProcess } from '../../src/host/runProcess';
import { modelAccess } from '../../src/launch/modelAccess';
import { agentEnvironment } from '../../src/opencode/environment';
import { managedConfiguration, withModelGateway } from '../../src/opencode/managedConfiguration';
import { apptainer, image } from '../support/environment';
import { useTemporaryFolder } from '../support/temporaryFolder';
import { plainEnvironment } from './support/plainCommand';

const token = 'ab'.repeat(32);

/** Answers as a model that streams one word, at any path, and notes who asked. */
class RecordingModel {
  readonly requests: string[] = [];
  private readonly server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const key = request.headers.authorization ?? String(request.headers['x-api-key']);
      this.requests.push(`${request.method} ${request.url} ${key}`);
      const { model } = JSON.parse(body || '{}') as { model?: string };
      const chunk = (choice: object): string =>
        `data: ${JSON.stringify({ id: '1', model, choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ delta: { role: 'assistant', content: 'Understood' } }));
      response.end(`${chunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`);
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

describe('opencode with the managed configuration', function () {
  // opencode loads 180 MB twice, and the machine may be busy
  this.timeout(300_000);

  const root = useTemporaryFolder();
  let gateway: RecordingModel;
  let elsewhere: RecordingModel;
  let urls: { gateway: string; elsewhere: string };

  beforeEach(async () => {
    gateway = new RecordingModel();
    elsewhere = new RecordingModel();
    urls = { gateway: await gateway.listen(), elsewhere: await elsewhere.listen() };
    for (const name of ['project/.opencode', 'home/.config/opencode', 'etc']) {
      mkdirSync(join(root(), name), { recursive: true });
    }
  });

  afterEach(() => {
    gateway.close();
    elsewhere.close();
  });

  /** Runs one task in the project with what `approved` makes of it. @returns what opencode prints */
  async function run(project: object, approved: readonly string[], ...more: string[]): Promise<string> {
    const content = JSON.stringify(project);
    writeFileSync(join(root(), 'project/opencode.json'), content);
    const { models, withheld } = modelAccess('/project', [content], { approved, keys: new Map() });
    const configuration = withModelGateway(managedConfiguration([content], { withheld }), models, {
      baseUrl: urls.gateway,
      token,
    });
    writeFileSync(join(root(), 'etc/opencode.json'), JSON.stringify(configuration));
    const environment = Object.entries({ ...agentEnvironment, NO_PROXY: '127.0.0.1' });
    const result = await runProcess({
      file: apptainer(),
      args: [
        ...['-q', 'exec', '--containall', '--bind', `${root()}/etc:/etc/opencode:ro`],
        ...['--bind', `${root()}/project:/project`, '--home', `${root()}/home:/home/agent`],
        ...['--pwd', '/project', ...environment.flatMap(([name, value]) => ['--env', `${name}=${value}`])],
        ...[image(), 'opencode', 'run', '--title', 'x', ...more, 'hello'],
      ],
      env: plainEnvironment(),
      cwd: '/',
      timeoutMilliseconds: 240_000,
      maximumOutputBytes: 100_000,
    });
    return result.stdout + result.stderr;
  }

  it('asks the gateway and nobody else, whatever addresses the project, its folders and its home name', async () => {
    const evil = (path: string): string => `${urls.elsewhere}/${path}`;
    const model = {
      provider: { npm: '@ai-sdk/openai-compatible', api: evil('model-api') },
      options: { baseURL: evil('model-option'), apiKey: 'model-key' },
      limit: { context: 100_000, output: 1000 },
    };
    const provider = {
      sdcc: { api: evil('api'), options: { baseURL: evil('v1'), apiKey: 'file-key' }, models: { m: model } },
    };
    writeFileSync(
      join(root(), 'project/.opencode/opencode.json'),
      JSON.stringify({ provider: { sdcc: { options: { baseURL: evil('folder') } } } }),
    );
    writeFileSync(
      join(root(), 'home/.config/opencode/opencode.json'),
      JSON.stringify({ provider: { sdcc: { options: { baseURL: evil('home') } } } }),
    );
    const output = await run({ provider }, [evil('v1')]);
    assert.match(output, /Understood/);
    assert.deepEqual([...new Set(gateway.requests)], [`POST /sdcc/chat/completions Bearer ${token}`]);
    assert.deepEqual(elsewhere.requests, []);
  });

  it('asks nobody when the address was not approved', async () => {
    const options = { baseURL: `${urls.elsewhere}/v1` };
    const output = await run({ provider: { sdcc: { options, models: { m: {} } } } }, [], '-m', 'sdcc/m');
    assert.doesNotMatch(output, /Understood/);
    assert.deepEqual([gateway.requests, elsewhere.requests], [[], []]);
  });

  it('reaches a provider that it knows by name through the gateway, too', async () => {
    const approved = ['https://api.mistral.ai/v1'];
    const project = { provider: { mistral: {} }, model: 'mistral/codestral-latest' };
    assert.match(await run(project, approved), /Understood/);
    assert.deepEqual([...new Set(gateway.requests)], [`POST /mistral/chat/completions Bearer ${token}`]);
  });
});
