import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import * as vscode from 'vscode';
import { commandIds } from '../../../src/contributions';
import { waitUntil } from '../../support/waitUntil';
import { activateExtension } from '../extensionUnderTest';

describe('Prove the Sandbox Holds', () => {
  before(() => activateExtension());

  it('shows what held, in an environment that would open a sandbox', async () => {
    await vscode.commands.executeCommand(commandIds.proveSandbox);
    await waitUntil('the report is shown', () =>
      vscode.window.tabGroups.activeTabGroup.tabs.some(({ label }) => label === 'Proof of the Sandbox'),
    );
    await vscode.commands.executeCommand(commandIds.openProofAsMarkdown);
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(text, /^# Proof of the sandbox\n\n\*\*\d+\/\d+ held, /);
    assert.match(text, /\| Read a secret file in the home folder \| held \|/);
    assert.match(text, /\| Find a variable of the user’s environment \| held \|/);
    assert.match(text, /\| Reach a service on 127\\?\.0\\?\.0\\?\.1 \| held \|/);
    // processes and memory are not limited
    const failed = text.split('\n').filter((line) => /\| not held \|/.test(line));
    const open = /no limit below/;
    assert.deepEqual(
      failed.filter((line) => !open.test(line)),
      [],
    );
  });

  it('leaves nothing in the home folder', () => {
    const left = readdirSync(process.env['HOME'] ?? '/').filter((name) => name.startsWith('.sandbox-probe-'));
    assert.deepEqual(left, []);
  });
});
