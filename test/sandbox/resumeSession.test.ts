import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentEnvironment } from '../../src/opencode/environment';
import { managedConfiguration } from '../../src/opencode/managedConfiguration';
import { fileWritten } from '../support/agentWorkspace';
import { image } from '../support/environment';
import { processesBelow } from '../support/processes';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { opencodeSessions } from './support/opencodeSessions';
import { readerOf } from './support/sessionHome';
import { identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

describe('resuming a session', () => {
  let folders: TestFolders;
  beforeEach(() => {
    folders = new TestFolders();
  });
  afterEach(() => folders.remove());

  it('shows in opencode what was said before', async function () {
    this.timeout(500_000);
    await opencodeSessions(folders, ['greet Ada']);
    const { reader } = readerOf(folders);
    await reader.refresh();
    const [session] = reader.store.sessions;
    await reader.close();
    assert.ok(session);
    const { connection, supervisorPid } = await startSandbox(
      specify(folders, {
        kind: 'agent',
        image: identified(image()),
        network: 'open',
        opencodeConfiguration: managedConfiguration([
          readFileSync(join(folders.workspace, 'opencode.json'), 'utf8'),
        ]),
        insideEnvironment: { ...agentEnvironment },
        resume: { sessionId: session.id, isFork: false },
      }),
    );
    const screen = await ScreenReader.attach(connection);
    await waitUntil('opencode is told', () =>
      processesBelow(supervisorPid).some(({ commandLine }) => commandLine === `opencode -s ${session.id}`),
    );
    await waitUntil(
      'the answer of before is shown',
      () => screen.text().includes(fileWritten),
      200_000,
      () => screen.text(),
    );
    await connection.stop();
  });
});
