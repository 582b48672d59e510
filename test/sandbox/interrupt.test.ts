import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { image } from '../support/environment';
import { processesBelow, stillRunning } from '../support/processes';
import { ScreenReader } from '../support/screenReader';
import { emptyPrompt } from '../support/opencodePrompt';
import { waitUntil } from '../support/waitUntil';
import { startRunning, type RunningSandbox } from './support/runningSandbox';
import { identified, TestFolders } from './support/sandboxUnderTest';

const interrupt = '\x03';

describe('Ctrl+C reaches only the program in the sandbox', () => {
  let folders: TestFolders;
  let sandbox: RunningSandbox;
  let screen: ScreenReader;

  async function start(changes: Parameters<typeof startRunning>[1]): Promise<void> {
    folders = new TestFolders();
    sandbox = await startRunning(folders, changes);
    screen = await ScreenReader.attach(sandbox.connection);
  }
  afterEach(async () => {
    await sandbox.connection.stop();
    folders.remove();
  });

  const commandsBelow = (): string[] =>
    processesBelow(sandbox.supervisorPid).map(({ commandLine }) => commandLine);

  /** Apptainer, image server, init, companion, supervisor, reaper and shell: all that were there before. */
  function assertOthersRun(): void {
    assert.equal(
      stillRunning(sandbox.processes).length,
      sandbox.processes.length,
      commandsBelow().join('\n'),
    );
    assert.equal(sandbox.connection.status.phase, 'running');
  }

  it('when the terminal makes a signal of it', async () => {
    await start({});
    screen.type('sleep 321\r');
    await waitUntil('it sleeps', () => commandsBelow().includes('sleep 321'));
    screen.type(interrupt);
    await waitUntil('it was ended', () => !commandsBelow().includes('sleep 321'));
    screen.type('echo status $?\r');
    await screen.shows(/status 130/);
    assertOthersRun();
  });

  it('and is a byte like any other when the program wants it raw', async () => {
    await start({});
    writeFileSync(
      join(folders.workspace, 'raw.sh'),
      'stty raw -echo; echo re""ady; dd bs=1 count=3 2>/dev/null | od -An -tx1; stty sane; echo do""ne\n',
    );
    screen.type('sh raw.sh\r');
    await screen.shows(/ready/);
    screen.type(interrupt.repeat(3));
    await screen.shows(/03 03 03/);
    await screen.shows(/done/);
    assertOthersRun();
  });

  it('when opencode reads it: its prompt is emptied', async () => {
    await start({ kind: 'agent', image: identified(image()) });
    await screen.shows(emptyPrompt);
    await waitUntil('it takes what is typed', () => {
      screen.type('xyzzy');
      return screen
        .shows(/xyzzy/, 2000)
        .then(() => true)
        .catch(() => false);
    });
    screen.type(interrupt);
    await waitUntil('the prompt is empty', () => !screen.text().includes('xyzzy'));
    assertOthersRun();
  });
});
