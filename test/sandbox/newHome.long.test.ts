import assert from 'node:assert/strict';
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { HomeSessions } from '../../src/launch/homeSessions';
import { ScriptProcess } from '../../src/launch/scriptProcess';
import { findAgentHome, prepareAgentHome } from '../../src/opencode/agentHome';
import { readPlace } from '../../src/host/folderFacts';
import { image } from '../support/environment';
import { waitUntil } from '../support/waitUntil';
import { opencodeSessions } from './support/opencodeSessions';
import { bundles, identified, specify, TestFolders } from './support/sandboxUnderTest';
import { homeOf } from './support/sessionHome';

describe('sessions of a folder whose agent has no home yet', () => {
  it('are there by themselves when the first agent has made it', async () => {
    const folders = new TestFolders();
    rmdirSync(homeOf(folders));
    const sessions = new HomeSessions({
      findHome: () => findAgentHome({ workspace: folders.workspace, setting: 'workspace' }),
      specify: () => Promise.resolve(specify(folders, { image: identified(image()) })),
      startScript: (sandbox, script, onLine) =>
        ScriptProcess.start(
          {
            nodePath: process.execPath,
            keeper: join(bundles, 'scriptKeeper.js'),
            environment: process.env,
            onLog: () => undefined,
            ...{ sandbox, script },
          },
          onLine,
        ),
      onChange: () => undefined,
      onLog: () => undefined,
    });
    try {
      sessions.show();
      await waitUntil('nothing is there', () => sessions.isEmpty);
      // as a start does
      await prepareAgentHome({
        workspace: await readPlace(folders.workspace),
        setting: 'workspace',
        surroundings: { homes: [], reserved: [] },
      });
      const task = opencodeSessions(folders, ['greet Ada']);
      await waitUntil('its session is there', () => sessions.store.sessions[0]?.title === 'A greeting');
      await task;
      await waitUntil('its messages are there', () => sessions.store.sessions[0]?.sums?.isOpen === false);
      assert.equal(sessions.error, undefined);
    } finally {
      await sessions.dispose();
      folders.remove();
    }
  });
});
