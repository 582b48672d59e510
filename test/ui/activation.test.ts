import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { linkExtension } from '../host/extensionsFolder';
import { waitUntil } from '../support/waitUntil';
import { repositoryFolder } from './agentWorkbench';
import { useWorkbench } from './useWorkbench';

/** Installs an extension that takes a command of ours for itself before ours can start. */
function installRival(extensionsFolder: string): void {
  const folder = join(extensionsFolder, 'test.rival-1.0.0');
  mkdirSync(folder, { recursive: true });
  const manifest = {
    ...{ publisher: 'test', name: 'rival', version: '1.0.0', main: './main.js' },
    ...{ engines: { vscode: '^1.105.0' }, activationEvents: ['*'] },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(folder, 'main.js'),
    `const vscode = require('vscode');
exports.activate = () => {
  vscode.commands.registerCommand('sandboxedAgent.start', () => undefined);
  vscode.window.setStatusBarMessage('The rival was first');
};
`,
  );
}

describe('when the extension can’t be started', () => {
  const workbench = useWorkbench(() => ({
    name: 'activation',
    configuresModel: false,
    folderName: 'analysis',
    install: (extensionsFolder) => {
      installRival(extensionsFolder);
      return linkExtension(repositoryFolder, extensionsFolder);
    },
    firstStatus: /The rival was first/,
  }));

  it('says so, and still collects diagnostics, which say so too', async () => {
    const { page, folder } = workbench();
    const failure = /Sandboxed Agent could not be started/;
    await page.notificationSays(failure);
    await page.screenshot('failed');
    assert.doesNotMatch(await page.statusText(), /Agent: /);
    const target = join(folder, 'diagnostics.zip');
    await page.answerNotification(failure, 'Collect Diagnostics…');
    await page.answerInputBox('Save diagnostics', target, /\.zip$/);
    await page.notificationSays(/The diagnostics were saved/);
    await waitUntil('the file is there', () => existsSync(target));
    const { 'facts.json': facts } = unzipSync(readFileSync(target));
    assert.ok(facts);
    assert.match(strFromU8(facts), /"activationError": "Error"/);
  });
});
