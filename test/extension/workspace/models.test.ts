import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { startDemoModel, type DemoModel } from '../../../scripts/demoModel/server';
import type { SandboxedAgentApi } from '../../../src/api';
import { commandIds } from '../../../src/contributions';
import { configureModel, greetingScenario } from '../../support/agentWorkspace';
import { ScreenReader } from '../../support/screenReader';
import { waitUntil } from '../../support/waitUntil';
import {
  activateExtension,
  approveModel,
  assertGoneAfter,
  onlySandbox,
  openFolder,
  statusSays,
} from '../extensionUnderTest';

describe('A model that the workspace names', () => {
  let api: SandboxedAgentApi;
  let model: DemoModel;
  const configuration = (): string => join(openFolder(), 'opencode.json');

  before(async () => {
    api = await activateExtension();
    model = await startDemoModel({ scenario: greetingScenario });
    configureModel(openFolder(), model.baseUrl);
  });

  after(async () => {
    await model.close();
    rmSync(configuration(), { force: true });
  });

  it('is asked about before a start; once approved, it is not asked about again', async () => {
    void vscode.commands.executeCommand(commandIds.openShell);
    await approveModel(api);
    await statusSays(api, /^Agent: isolated/);
    const first = await onlySandbox(api);
    await assertGoneAfter(first, () => vscode.commands.executeCommand(commandIds.stop));

    await vscode.commands.executeCommand(commandIds.openShell);
    const second = await onlySandbox(api);
    const screen = await ScreenReader.attach(second.connection);
    screen.type('grep -c 127.0.0.1 /etc/opencode/opencode.json; pwd\r');
    await screen.shows(new RegExp(`^${openFolder()}$`, 'm'));
    await assertGoneAfter(second, () => vscode.commands.executeCommand(commandIds.stop));
  });

  it('starts nothing when the question is closed', async () => {
    writeFileSync(
      configuration(),
      readFileSync(configuration(), 'utf8').replace(/127\.0\.0\.1:\d+/, '127.0.0.1:9'),
    );
    const start = vscode.commands.executeCommand(commandIds.openShell);
    let isOver = false;
    void start.then(() => (isOver = true));
    await waitUntil('the question is closed', async () => {
      await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
      return isOver;
    });
    assert.deepEqual(api.sandboxes(), []);
    assert.equal(
      vscode.window.terminals.some(({ name }) => name === 'Shell (sandboxed)'),
      false,
    );
  });
});
