import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { managedConfiguration } from '../../src/opencode/managedConfiguration';
import { agentEnvironment } from '../../src/opencode/environment';
import type { SandboxSpecification } from '../../src/sandbox/specification';
import { startDemoModel, type DemoModel } from '../../scripts/demoModel/server';
import { configureModel, fileWritten, greetingScenario } from '../support/agentWorkspace';
import { apptainer, image } from '../support/environment';
import { giveTask } from '../support/opencodePrompt';
import { ScreenReader } from '../support/screenReader';
import { processesBelow, stillRunning } from '../support/processes';
import { waitUntil } from '../support/waitUntil';
import { plainEnvironment, plainTask } from './support/plainCommand';
import { endOf, identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

describe('opencode in the sandbox', () => {
  let folders: TestFolders;
  let model: DemoModel;
  beforeEach(async () => {
    folders = new TestFolders();
    model = await startDemoModel({ scenario: greetingScenario });
    configureModel(folders.workspace, model.baseUrl);
  });
  afterEach(async () => {
    await model.close();
    folders.remove();
  });

  function agent(changes: Partial<SandboxSpecification> = {}): SandboxSpecification {
    const project = readFileSync(join(folders.workspace, 'opencode.json'), 'utf8');
    return specify(folders, {
      kind: 'agent',
      image: identified(image()),
      network: 'open',
      opencodeConfiguration: managedConfiguration([project]),
      insideEnvironment: { ...agentEnvironment },
      ...changes,
    });
  }

  /** The agent's database and its log of unwritten pages, as bytes: opencode does not always merge them at its end. */
  function database(home = join(folders.workspace, 'agent-home')): string {
    const data = join(home, '.local/share/opencode');
    const files = readdirSync(data).filter((name) => name.startsWith('opencode.db'));
    return files.map((name) => readFileSync(join(data, name), 'latin1')).join('');
  }

  it('does a task in its terminal, leaves the file and the session, and is gone a second after stop', async () => {
    const { connection, supervisorPid, runDirectory } = await startSandbox(agent());
    const screen = await ScreenReader.attach(connection);
    await giveTask(screen, 'greet Ada');
    const greeting = join(folders.workspace, 'greeting.txt');
    await waitUntil(
      'the file is there',
      () => existsSync(greeting),
      60_000,
      () => screen.text(),
    );
    await screen.shows(new RegExp(fileWritten));
    assert.equal(readFileSync(greeting, 'utf8'), 'hello Ada\n');
    assert.equal(statSync(greeting).uid, process.getuid?.());
    assert.equal(connection.status.verdict?.state, 'isolated');
    assert.equal(connection.status.verdict.network, 'open');

    const processes = processesBelow(supervisorPid);
    assert.ok(processes.some(({ commandLine }) => commandLine.includes('squashfuse')));
    assert.ok(processes.some(({ commandLine }) => commandLine.startsWith('opencode')));
    const asked = Date.now();
    const end = await connection.stop();
    assert.equal(end.reason, 'stopped');
    await waitUntil('everything is gone', () => stillRunning(processes).length === 0, 10_000);
    assert.ok(Date.now() - asked < 1000, `gone after ${Date.now() - asked} ms`);
    assert.equal(existsSync(runDirectory), false);
    assert.deepEqual(readdirSync(folders.index), []);
    assert.match(database(), /A greeting/);
  });

  it('does a task without a terminal, the prompt in nobody’s argv', async () => {
    const specification = agent({
      ...{ kind: 'task', prompt: 'greet Ada', deadlineMilliseconds: 120_000 },
      // the model is one that the project brings
      withoutCatalogue: true,
    });
    const { connection, supervisorPid } = await startSandbox(specification);
    const screen = await ScreenReader.attach(connection);
    const ended = endOf(connection);
    await waitUntil(
      'opencode asks the model',
      () => model.requests.length > 0,
      60_000,
      () => screen.text(),
    );
    const commandLines = processesBelow(supervisorPid).map(({ commandLine }) => commandLine);
    assert.ok(
      commandLines.some((line) => line.startsWith('opencode run')),
      commandLines.join('\n'),
    );
    assert.deepEqual(
      commandLines.filter((line) => line.includes('greet')),
      [],
    );
    assert.deepEqual(await ended, { reason: 'exited', exitCode: 0 });
    assert.match(screen.text(), new RegExp(fileWritten));
    assert.equal(readFileSync(join(folders.workspace, 'greeting.txt'), 'utf8'), 'hello Ada\n');
  });

  it('ends a task at its deadline', async () => {
    model.setScenario({ models: ['scripted'], title: 'Hangs', rules: [], otherwise: [{ hang: true }] });
    const { connection } = await startSandbox(
      agent({ kind: 'task', prompt: 'wait', deadlineMilliseconds: 4000 }),
    );
    assert.equal((await endOf(connection)).reason, 'deadline');
  });

  it('opens a home that the plain command made, with its sessions', async () => {
    const home = join(folders.workspace, 'agent-home');
    await plainTask(folders.workspace, home, 'greet Bea');
    const specification = agent({ kind: 'task', prompt: 'greet Cy', deadlineMilliseconds: 120_000 });
    const { connection } = await startSandbox(specification);
    assert.deepEqual(await endOf(connection), { reason: 'exited', exitCode: 0 });
    const shell = await startSandbox(agent({ kind: 'shell' }));
    const screen = await ScreenReader.attach(shell.connection);
    screen.type('opencode session list | grep -c ses_; echo fini""shed\r');
    await screen.shows(/^2\s*\nfinished/m);
    await shell.connection.stop();
  });

  it('keeps bunfig.toml and .env of the workspace out of the companion', async () => {
    const trace = join(folders.workspace, 'preloaded.txt');
    writeFileSync(
      join(folders.workspace, 'preload.js'),
      `require('fs').appendFileSync(${JSON.stringify(trace)}, process.argv.join(' ') + '\\n')`,
    );
    writeFileSync(join(folders.workspace, 'bunfig.toml'), 'preload = ["./preload.js"]\n');
    writeFileSync(join(folders.workspace, '.env'), 'FROM_DOTENV=1\n');
    const script = join(folders.workspace, 'script.js');
    writeFileSync(script, 'console.log("dotenv", process.env.FROM_DOTENV)');
    const plain = spawnSync(
      apptainer(),
      [
        ...['-q', 'exec', '--containall', '--bind', folders.workspace, '--pwd', folders.workspace],
        ...['--env', 'BUN_BE_BUN=1', image(), 'opencode', script],
      ],
      { env: plainEnvironment(), encoding: 'utf8' },
    );
    assert.match(plain.stdout, /dotenv 1/, plain.stderr);
    assert.match(readFileSync(trace, 'utf8'), /script\.js/, 'the attack works');
    writeFileSync(trace, '');

    const specification = agent({ kind: 'task', prompt: 'greet Ada', deadlineMilliseconds: 120_000 });
    const { connection, supervisorPid } = await startSandbox(specification);
    await waitUntil('opencode asks the model', () => model.requests.length > 0, 60_000);
    // the companion hands on its variables: what Bun had read from a .env would stand in the agent's
    const agentProcess = processesBelow(supervisorPid).find(({ commandLine }) =>
      commandLine.startsWith('opencode run'),
    );
    assert.ok(agentProcess);
    const variables = readFileSync(`/proc/${agentProcess.pid}/environ`, 'utf8');
    assert.match(variables, /OPENCODE_DISABLE_AUTOUPDATE=1/);
    assert.doesNotMatch(variables, /FROM_DOTENV/);
    assert.equal((await endOf(connection)).exitCode, 0);
    assert.doesNotMatch(readFileSync(trace, 'utf8'), /companion/);
  });

  it('says so when the image has no opencode', async () => {
    const { connection } = await startSandbox(specify(folders, { kind: 'agent' }));
    const end = await endOf(connection);
    assert.equal(end.reason, 'failed');
    assert.match(end.explanation?.text ?? '', /no program called opencode/);
  });

  it('sees an empty folder in the place of its own home, and its home elsewhere', async () => {
    mkdirSync(join(folders.workspace, 'agent-home', 'private'));
    const { connection } = await startSandbox(specify(folders));
    const screen = await ScreenReader.attach(connection);
    screen.type('ls -A agent-home | wc -l; ls ~; touch agent-home/x; echo fini""shed\r');
    await screen.shows(/finished/);
    assert.match(screen.text(), /^0$/m);
    assert.match(screen.text(), /^private/m);
    assert.match(screen.text(), /Read-only file system/);
    await connection.stop();
  });
});
