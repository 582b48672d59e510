import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type DemoModel, startDemoModel } from '../../../scripts/demoModel/server';
import type { SandboxedAgentApi } from '../../../src/api';
import { commandIds } from '../../../src/contributions';
import { configureModel, fileWritten, greetingScenario } from '../../support/agentWorkspace';
import { giveTask } from '../../support/opencodePrompt';
import { ScreenReader } from '../../support/screenReader';
import { waitUntil } from '../../support/waitUntil';
import {
  activateExtension,
  approveModel,
  assertGoneAfter,
  onlySandbox,
  openFolder,
  type RunningSandbox,
  statusSays,
} from '../extensionUnderTest';

describe('Start Sandboxed Agent', () => {
  let api: SandboxedAgentApi;
  let model: DemoModel;
  let sandbox: RunningSandbox;

  before(async () => {
    model = await startDemoModel({ scenario: greetingScenario });
    configureModel(openFolder(), model.baseUrl);
    api = await activateExtension();
  });

  after(() => model.close());

  it('registers every command', async () => {
    const registered = await vscode.commands.getCommands(true);
    const missing = Object.values(commandIds).filter((id) => !registered.includes(id));
    assert.deepEqual(missing, []);
  });

  it('says that it is ready', () => statusSays(api, /^Agent: ready$/));

  it('opens a terminal and asks whether its model may be used, and says that the sandbox is isolated', async () => {
    void vscode.commands.executeCommand(commandIds.start);
    await approveModel(api);
    await waitUntil('a terminal is open', () => vscode.window.terminals.length > 0);
    assert.deepEqual(
      vscode.window.terminals.map(({ name }) => name),
      ['Agent (sandboxed)'],
    );
    await statusSays(api, /^Agent: isolated$/);
    sandbox = await onlySandbox(api);
    assert.equal(sandbox.summary.workspace, openFolder());
    assert.equal(sandbox.summary.kind, 'agent');
  });

  it('has verified every fact', () => {
    const { verdict } = sandbox.connection.status;
    assert(verdict);
    assert.equal(verdict.state, 'isolated');
    assert.deepEqual(
      verdict.lines.filter(({ status }) => status !== 'holds'),
      [],
    );
  });

  it('lets opencode do a task in the folder, as this user', async () => {
    const screen = await ScreenReader.attach(sandbox.connection);
    await giveTask(screen, 'greet world');
    await screen.shows(new RegExp(fileWritten));
    const greeting = join(openFolder(), 'greeting.txt');
    assert.equal(readFileSync(greeting, 'utf8'), 'hello world\n');
    assert.equal(statSync(greeting).uid, process.getuid?.());
  });

  it('keeps the session in agent-home, closed to others and to git', () => {
    const home = join(openFolder(), 'agent-home');
    assert.equal(statSync(home).mode & 0o777, 0o700);
    assert.equal(readFileSync(join(home, '.gitignore'), 'utf8').trim(), '*');
    assert(statSync(join(home, '.local/share/opencode/opencode.db')).size > 0);
  });

  it('shows the running agent instead of starting a second one', async () => {
    await vscode.commands.executeCommand(commandIds.start);
    assert.equal(api.sandboxes().length, 1);
    assert.equal(vscode.window.terminals.length, 1);
  });

  it('leaves nothing behind after Stop', async () => {
    await assertGoneAfter(sandbox, () => vscode.commands.executeCommand(commandIds.stop));
    assert.deepEqual(api.sandboxes(), []);
    await statusSays(api, /^Agent: ready$/);
  });

  it('leaves nothing behind when the user closes the terminal', async () => {
    await vscode.commands.executeCommand(commandIds.start);
    sandbox = await onlySandbox(api);
    await statusSays(api, /^Agent: isolated$/);
    await assertGoneAfter(sandbox, () => vscode.commands.executeCommand('workbench.action.terminal.kill'));
    await statusSays(api, /^Agent: ready$/);
  });
});
