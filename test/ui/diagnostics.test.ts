import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { shellImage } from '../support/environment';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

describe('Collect Diagnostics…', () => {
  const workbench = useWorkbench(() => ({
    name: 'diagnostics',
    configuresModel: false,
    folderName: 'confidential-project',
    settings: { 'sandboxedAgent.image': shellImage(), 'sandboxedAgent.network': 'open' },
  }));

  it('saves a zip that tells what happened, and not where', async () => {
    const { page, folder } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.statusSays(/Agent: isolated, network open/);
    const target = join(folder, 'diagnostics.zip');
    await page.runCommand('Sandboxed Agent: Collect Diagnostics…');
    await page.answerInputBox('Save diagnostics', target, /\.zip$/);
    await page.notificationSays(/The diagnostics were saved/);
    await page.screenshot('saved');
    await waitUntil('the file is there', () => existsSync(target));
    const files = Object.entries(unzipSync(readFileSync(target))).map(([name, bytes]) => [
      name,
      strFromU8(bytes),
    ]);
    const { 'facts.json': facts = '', 'log.txt': log = '' } = Object.fromEntries(files) as Record<
      string,
      string
    >;
    assert.match(facts, /"kind": "shell"/);
    assert.match(facts, /"state": "isolated"/);
    assert.match(facts, /"version": "1\.\d/);
    assert.match(log, /\[info\]/);
    for (const name of ['confidential-project', `/home/${userInfo().username}`, 'shell-only']) {
      assert.ok(!facts.includes(name) && !log.includes(name), name);
    }
    await page.runCommand('Sandboxed Agent: Stop');
    await page.statusSays(/Agent: ready/);
  });
});
