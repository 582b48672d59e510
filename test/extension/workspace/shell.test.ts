import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { SandboxedAgentApi } from '../../../src/api';
import { commandIds } from '../../../src/contributions';
import { image, shellImage } from '../../support/environment';
import { ScreenReader } from '../../support/screenReader';
import { waitUntil } from '../../support/waitUntil';
import {
  activateExtension,
  assertGoneAfter,
  onlySandbox,
  openFolder,
  statusSays,
} from '../extensionUnderTest';

describe('Open Shell', () => {
  const settings = vscode.workspace.getConfiguration('sandboxedAgent');
  let api: SandboxedAgentApi;

  before(async () => {
    api = await activateExtension();
    await settings.update('image', shellImage(), vscode.ConfigurationTarget.Global);
    // a workspace may tighten the sandbox
    await settings.update('network', 'none', vscode.ConfigurationTarget.Workspace);
  });

  after(async () => {
    await settings.update('network', undefined, vscode.ConfigurationTarget.Workspace);
    await settings.update('image', image(), vscode.ConfigurationTarget.Global);
  });

  it('runs a shell without network, with an image that has no opencode', async () => {
    await vscode.commands.executeCommand(commandIds.openShell);
    await waitUntil('a terminal is open', () =>
      vscode.window.terminals.some(({ name }) => name === 'Shell (sandboxed)'),
    );
    await statusSays(api, /^Agent: isolated, no network$/);
    const sandbox = await onlySandbox(api);
    const screen = await ScreenReader.attach(sandbox.connection);
    screen.type('pwd\r');
    await screen.shows(new RegExp(`^${openFolder()}$`, 'm'));
    await assertGoneAfter(sandbox, () => vscode.commands.executeCommand(commandIds.stop));
  });

  it('opens another one as soon as one was stopped, whose terminal may not have heard of it', async () => {
    const ids = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      await vscode.commands.executeCommand(commandIds.openShell);
      await statusSays(api, /^Agent: isolated, no network$/);
      api.sandboxes().forEach(({ id }) => ids.add(id));
      await vscode.commands.executeCommand(commandIds.stop);
      await statusSays(api, /^Agent: ready$/);
    }
    assert.equal(ids.size, 5);
  });
});
