import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { SandboxedAgentApi } from '../../../src/api';
import { commandIds } from '../../../src/contributions';
import { image, shellImage } from '../../support/environment';
import { waitUntil } from '../../support/waitUntil';
import {
  activateExtension,
  assertGoneAfter,
  onlySandbox,
  openDefaultProfile,
  type RunningSandbox,
  statusSays,
} from '../extensionUnderTest';

const profile = 'Sandboxed Shell';
/** of its terminal */
const name = 'Shell (sandboxed)';
const shells = (): readonly vscode.Terminal[] =>
  vscode.window.terminals.filter((terminal) => terminal.name === name);

describe('the terminal profile Sandboxed Shell', () => {
  const settings = vscode.workspace.getConfiguration('sandboxedAgent');
  let api: SandboxedAgentApi;
  let sandbox: RunningSandbox;

  before(async () => {
    api = await activateExtension();
    await settings.update('image', shellImage(), vscode.ConfigurationTarget.Global);
  });
  after(() => settings.update('image', image(), vscode.ConfigurationTarget.Global));

  it('starts a sandbox in the terminal that VS Code opens', async () => {
    await openDefaultProfile(profile);
    await statusSays(api, /^Agent: isolated$/);
    sandbox = await onlySandbox(api);
    assert.equal(sandbox.summary.kind, 'shell');
    assert.equal(shells().length, 1);
  });

  it('shows the one that runs instead of starting a second one', async () => {
    await openDefaultProfile(profile);
    await waitUntil('the second terminal has closed', () => shells().length === 1);
    assert.equal(api.sandboxes().length, 1);
  });

  it('ends with its terminal', async () => {
    shells()[0]?.show();
    await waitUntil('it is in front', () => vscode.window.activeTerminal?.name === name);
    await assertGoneAfter(sandbox, () => vscode.commands.executeCommand('workbench.action.terminal.kill'));
  });

  it('has a command line that goes to the clipboard', async () => {
    await vscode.commands.executeCommand(commandIds.copyCommandLine);
    const text = await waitUntil('it is there', async () => {
      const copied = await vscode.env.clipboard.readText();
      return copied.includes('--containall') && copied;
    });
    assert.match(text, /--security/);
  });
});
