import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { SandboxedAgentApi } from '../../../src/api';
import { commandIds } from '../../../src/contributions';
import { waitUntil } from '../../support/waitUntil';
import { activateExtension, openDefaultProfile, statusSays } from '../extensionUnderTest';

describe('a window without a folder', () => {
  let api: SandboxedAgentApi;

  before(async () => {
    api = await activateExtension();
  });

  it('says that nothing can be started', () => statusSays(api, /^Agent: unavailable$/));

  it('starts nothing', async () => {
    await vscode.commands.executeCommand(commandIds.start);
    assert.deepEqual(api.sandboxes(), []);
    assert.deepEqual(vscode.window.terminals, []);
  });

  it('has a terminal profile that says so, too', async () => {
    await openDefaultProfile('Sandboxed Agent');
    await waitUntil('a terminal is open', () =>
      vscode.window.terminals.some(({ name }) => name === 'Agent (sandboxed)'),
    );
    assert.deepEqual(api.sandboxes(), []);
  });
});
