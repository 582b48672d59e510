import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import type { Scenario } from '../../scripts/demoModel/scenario';
import { startDemoModel, type DemoModel } from '../../scripts/demoModel/server';
import { readProc } from '../../src/host/procfs';
import { collectDiagnostics } from '../../src/launch/diagnostics';
import { recordsFolder } from '../../src/launch/storageFolders';
import { agentEnvironment } from '../../src/opencode/environment';
import { managedConfiguration } from '../../src/opencode/managedConfiguration';
import type { SandboxSecrets } from '../../src/sandbox/networkAccess';
import type { NetworkMode, SandboxSpecification } from '../../src/sandbox/specification';
import { configureModel, greetingScenario } from '../support/agentWorkspace';
import { image } from '../support/environment';
import { giveTask } from '../support/opencodePrompt';
import { processesBelow } from '../support/processes';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { readSearch, searchCommand, writeSearch } from './support/searchInside';
import { endOf, identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

const key = 'sk-the-real-key-4f1c99e0b7';
const secrets: SandboxSecrets = { modelKeys: { scripted: key }, environment: {} };

const hasSearched = 'The search is over.';

/** `search`: the model has the agent's own shell look for the key. */
const searchingScenario: Scenario = {
  ...greetingScenario,
  rules: [
    {
      match: '^search$',
      steps: [
        { tools: [{ name: 'bash', arguments: { command: searchCommand, description: 'Searches' } }] },
        { text: hasSearched },
      ],
    },
  ],
};

describe('the model gateway', () => {
  let folders: TestFolders;
  let model: DemoModel;
  beforeEach(async () => {
    folders = new TestFolders();
    model = await startDemoModel({ scenario: greetingScenario, key });
    configureModel(folders.workspace, model.baseUrl);
  });
  afterEach(async () => {
    await model.close();
    folders.remove();
  });

  function agent(network: NetworkMode, changes: Partial<SandboxSpecification> = {}): SandboxSpecification {
    const project = readFileSync(join(folders.workspace, 'opencode.json'), 'utf8');
    return specify(folders, {
      kind: 'agent',
      image: identified(image()),
      network,
      access: {
        allowedHosts: [],
        models: [{ providerId: 'scripted', baseUrl: model.baseUrl, authentication: 'bearer' }],
      },
      opencodeConfiguration: managedConfiguration([project]),
      insideEnvironment: { ...agentEnvironment },
      recordDirectory: folders.index,
      ...changes,
    });
  }
  const start = (specification: SandboxSpecification) =>
    startSandbox(specification, process.env, process.execPath, secrets);

  for (const network of ['restricted', 'open', 'none'] as const) {
    it(`brings a task to its model with the key that only the gateway has, network ${network}`, async () => {
      const { connection } = await start(
        agent(network, { kind: 'task', prompt: 'greet Ada', deadlineMilliseconds: 120_000 }),
      );
      const screen = await ScreenReader.attach(connection);
      assert.deepEqual(await endOf(connection), { reason: 'exited', exitCode: 0 }, screen.text());
      assert.equal(readFileSync(join(folders.workspace, 'greeting.txt'), 'utf8'), 'hello Ada\n');
      assert.ok(model.requests.length >= 2);
      assert.ok(model.requests.every(({ admitted }) => admitted));
    });
  }

  it('is what the TUI uses, although the project names no model; and the key is nowhere in its reach', async () => {
    const recordDirectory = recordsFolder(folders.root);
    mkdirSync(recordDirectory);
    const { connection, supervisorPid, runDirectory } = await start(agent('restricted', { recordDirectory }));
    const log: string[] = [];
    connection.onLog((line) => log.push(line));
    const screen = await ScreenReader.attach(connection);
    writeSearch(folders.workspace, [key]);
    model.setScenario(searchingScenario);
    await giveTask(screen, 'search');
    await screen.shows(new RegExp(hasSearched), 60_000);
    assert.deepEqual(readSearch(folders.workspace), []);
    assert.ok(model.requests.every(({ authorization }) => authorization === `Bearer ${key}`));

    const processes = processesBelow(supervisorPid);
    assert.ok(processes.some(({ commandLine }) => commandLine.startsWith('opencode')));
    for (const { pid, commandLine } of processes) {
      assert.ok(!commandLine.includes(key), commandLine);
      assert.ok(!(readProc(`${pid}/environ`) ?? '').includes(key), `the environment of ${commandLine}`);
    }
    assert.ok(!(readProc(`${supervisorPid}/environ`) ?? '').includes(key));
    assert.ok(!spawnSync('ps', ['auxeww'], { encoding: 'utf8' }).stdout.includes(key));
    const searched = [folders.root, runDirectory].flatMap(filesBelow);
    assert.ok(searched.some((path) => path.endsWith('opencode.db')));
    assert.ok(searched.some((path) => path.endsWith('opencode/opencode.json')));
    assert.deepEqual(
      searched.filter((path) => readFileSync(path).includes(key)),
      [],
    );
    assert.ok(!log.join('\n').includes(key));
    const { summary, status } = connection;
    const diagnostics = await collectDiagnostics({
      ...{ versions: {}, settings: {}, window: {}, folders: [folders.workspace], log: log.join('\n') },
      ...{ sandboxes: [{ summary, status }], storageDirectory: folders.root, environment: process.env },
    });
    const { 'facts.json': facts, 'log.txt': lines, ...others } = unzipSync(diagnostics);
    assert(facts && lines);
    assert.deepEqual(others, {});
    assert.match(strFromU8(facts), /"runs": \[\s*\{\s*"kind": "agent"/);
    assert.ok(![facts, lines].some((part) => strFromU8(part).includes(key)));
    await connection.stop();
    const isUnfinished = (path: string): boolean => /\.json\.[0-9a-f]{16}$/.test(path);
    await waitUntil('the last record is written', () => !filesBelow(folders.root).some(isUnfinished));
    assert.deepEqual(
      filesBelow(folders.root).filter((path) => readFileSync(path).includes(key)),
      [],
    );
  });

  it('serves nobody on this computer who has not the sandbox’s token, with an open network', async () => {
    const { connection, runDirectory } = await start(agent('open', { kind: 'agent' }));
    await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
    const configuration = readFileSync(join(runDirectory, 'inside/opencode/opencode.json'), 'utf8');
    const { baseURL, apiKey } = (
      JSON.parse(configuration) as {
        provider: { scripted: { options: { baseURL: string; apiKey: string } } };
      }
    ).provider.scripted.options;
    assert.match(baseURL, /^http:\/\/127\.0\.0\.1:\d+\/scripted$/);
    assert.match(apiKey, /^[0-9a-f]{64}$/);
    const ask = async (authorization?: string) =>
      (await fetch(`${baseURL}/models`, { headers: authorization ? { authorization } : {} })).status;
    // what another user can do: ask without the token, which is out of that user's reach
    assert.equal(lstatSync(runDirectory).mode & 0o077, 0);
    assert.equal(await ask(), 401);
    assert.equal(await ask(`Bearer ${'0'.repeat(64)}`), 401);
    assert.equal(await ask(`Bearer ${key}`), 401);
    assert.equal(await ask(`Bearer ${apiKey}`), 200);
    await connection.stop();
    await assert.rejects(fetch(baseURL), 'nobody listens any more');
  });

  it('says that a model is unreachable, and that it is back', async () => {
    const port = model.port;
    await model.close();
    const { connection } = await start(agent('restricted'));
    const state = () => connection.status.models?.find(({ providerId }) => providerId === 'scripted')?.state;
    await waitUntil(
      'it is refused',
      () => state() === 'refused',
      30_000,
      () => String(state()),
    );
    model = await startDemoModel({ scenario: greetingScenario, key, port });
    const screen = await ScreenReader.attach(connection);
    await giveTask(screen, 'greet Ada');
    await waitUntil(
      'it is reachable',
      () => state() === 'reachable',
      60_000,
      () => screen.text(),
    );
    await connection.stop();
  });

  it('says when the key is not accepted', async () => {
    const { connection } = await startSandbox(agent('restricted'), process.env, process.execPath, {
      modelKeys: { scripted: 'another' },
      environment: {},
    });
    const health = () => connection.status.models?.[0];
    await waitUntil(
      'it is told',
      () => health()?.state === 'unauthorized',
      30_000,
      () => JSON.stringify(health()),
    );
    assert.equal(health()?.status, 401);
    await connection.stop();
  });

  it('has a shell reach the models, too', async () => {
    const { connection, runDirectory } = await start(agent('none', { kind: 'shell' }));
    const screen = await ScreenReader.attach(connection);
    await screen.shows(/Apptainer>/);
    assert.ok(existsSync(join(runDirectory, 'inside/models.sock')));
    screen.type('opencode run "greet Bea" </dev/null; echo fini""shed\r');
    await screen.shows(/finished/, 120_000);
    assert.equal(readFileSync(join(folders.workspace, 'greeting.txt'), 'utf8'), 'hello Bea\n');
    await connection.stop();
  });
});

function filesBelow(folder: string): string[] {
  return (
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      // a record that is just being written has another name a moment later
      .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile())
  );
}
