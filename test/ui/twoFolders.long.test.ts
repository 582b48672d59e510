import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readProc } from '../../src/host/procfs';
import { shellImage } from '../support/environment';
import { waitUntil } from '../support/waitUntil';
import { useWorkbench } from './useWorkbench';

const title = 'The folder in which to work';

describe('a window with two folders', () => {
  const workbench = useWorkbench(() => ({
    name: 'two folders',
    configuresModel: false,
    folderName: 'muons',
    secondFolderName: 'kaons',
    settings: { 'sandboxedAgent.image': shellImage(), 'sandboxedAgent.network': 'none' },
  }));

  it('asks in which of them to work, and starts nothing without an answer', async () => {
    const { page, folder } = workbench();
    await page.runCommand('Sandboxed Agent: Open Shell');
    const offers = await page.questions.offers(title);
    assert.deepEqual(
      offers.map((offer) => offer.replace(/ ?\/.*/, '')),
      ['muons', 'kaons'],
    );
    await page.screenshot('asked');
    await page.questions.cancel(title);
    await page.statusSays(/Agent: ready/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('binds the one that was chosen, and nothing of the other', async () => {
    const { page, folder } = workbench();
    const chosen = join(dirname(folder), 'kaons');
    await page.runCommand('Sandboxed Agent: Open Shell');
    await page.questions.choose(title, 'kaons');
    await page.statusSays(/Agent: isolated, no network$/);
    await page.terminalShows(/> /);
    // what the shell itself sees
    await page.typeIntoTerminal(`pwd >seen; ls -d ${folder} 2>>seen; echo written $?\r`);
    await page.terminalShows(/^written [1-9]/m);
    const seen = readFileSync(join(chosen, 'seen'), 'utf8');
    assert.match(seen, new RegExp(`^${chosen}\n[^]*${folder}[^]*No such file`));
    await page.screenshot('bound');
    // and what the kernel says of the processes in there
    const processes = await workbench().sandboxProcesses();
    const mounts = processes.map(({ pid }) => readProc(`${pid}/mountinfo`) ?? '');
    const inside = mounts.filter((text) => text.includes(` ${chosen} `));
    assert.ok(inside.length >= 2, 'the init and the shell see the chosen folder');
    inside.forEach((text) => assert.ok(!text.includes(folder), text));
    assert.deepEqual(readdirSync(folder), []);
    await page.runCommand('Sandboxed Agent: Stop');
    await workbench().gone(processes);
    await waitUntil('it is over', async () => /Agent: ready/.test(await page.statusText()));
  });
});
