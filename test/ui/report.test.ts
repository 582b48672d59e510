import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { shellImage } from '../support/environment';
import { useWorkbench } from './useWorkbench';

describe('the isolation report', () => {
  const workbench = useWorkbench(() => ({
    name: 'report',
    configuresModel: false,
    folderName: 'analysis <b>1 [x](command:y)',
    settings: { 'sandboxedAgent.image': shellImage(), 'sandboxedAgent.network': 'open' },
  }));

  before(async () => {
    await workbench().page.runCommand('Sandboxed Agent: Open Shell');
    await workbench().page.statusSays(/Agent: isolated, network open/);
  });

  it('has a line for each promise: what proves it, and how that is known', async () => {
    const { page, folder } = workbench();
    await page.runCommand('Sandboxed Agent: Show Isolation Report');
    await page.report.says(/isolated, network open/);
    const text = await page.report.text();
    assert.match(
      text,
      /Shared memory of the host is hidden\s+holds\s+own ipc namespace\s+verified from the host, every two/,
    );
    assert.match(
      text,
      /No variables of the host\s+holds\s+.*\s+verified from the host, once, before anything/,
    );
    assert.match(text, /What the filter denies\s+not verified\s+.*\s+requested only/);
    assert.ok(text.replace(/\s+/g, ' ').includes(`${folder.replace('](', '] (')} read and write`), text);
    assert.match(text, /\/run\/sandboxed-agent\s+read only/);
    assert.equal(await page.report.activeElements(), 0);
    await page.screenshot('isolated');
  });

  it('follows each verdict, and leaves what somebody reads in its place', async () => {
    const { page } = workbench();
    await page.report.mark('own ipc namespace');
    for (let round = 0; round < 3; round += 1) {
      const [, time = ''] = /Verified at (\S+)/.exec(await page.report.text()) ?? [];
      const start = Date.now();
      await page.report.says(new RegExp(`Verified at (?!${time})`));
      assert.ok(Date.now() - start < followsWithinMilliseconds, `${Date.now() - start} ms`);
    }
    assert.ok(await page.report.isMarked());
  });

  it('says within seconds what is wrong', async () => {
    const { page, folder } = workbench();
    const start = Date.now();
    renameSync(folder, `${folder} 2`);
    await page.report.says(/degraded[^]*is now .* on the host/);
    assert.ok(Date.now() - start < followsWithinMilliseconds, `${Date.now() - start} ms`);
    await page.screenshot('degraded');
    renameSync(`${folder} 2`, folder);
    await page.report.says(/isolated, network open/);
  });

  it('opens as a Markdown document', async () => {
    const { page } = workbench();
    await page.clickEditorAction('Open Isolation Report as Markdown');
    await page.editorSays(/^# Isolation report\s+As of [^]*\*\*isolated, network open\*\*/m);
    await page.screenshot('Markdown');
  });

  it('shows the present state when its tab comes to the front again', async () => {
    const { page } = workbench();
    await page.runCommand('Sandboxed Agent: Stop');
    await page.statusSays(/Agent: ready/);
    await page.runCommand('Sandboxed Agent: Show Isolation Report');
    await page.report.says(/No sandbox is running/);
  });
});

/** A verdict comes every two seconds, the page looks for it every second; the rest is a busy machine's. */
const followsWithinMilliseconds = 10_000;
