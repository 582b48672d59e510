import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ScriptProcess } from '../../src/launch/scriptProcess';
import { editSessions, type SessionEdit } from '../../src/launch/sessionEditor';
import { editorEnvironment } from '../../src/launch/sessionSandbox';
import type { Session } from '../../src/opencode/sessions/sessionStore';
import { interruptedSession, opencodeSessions } from './support/opencodeSessions';
import { changeDatabase, readerOf, sessionSandbox } from './support/sessionHome';
import { bundles, identified, TestFolders } from './support/sandboxUnderTest';

describe('changing sessions', function () {
  // opencode starts several times in each
  this.timeout(300_000);
  let folders: TestFolders;
  const log: string[] = [];
  before(async () => {
    folders = new TestFolders();
    await opencodeSessions(folders, ['greet Ada', 'something else']);
  });
  after(() => folders.remove());

  function edit(...edits: SessionEdit[]): Promise<string[]> {
    const sandbox = sessionSandbox(folders, {
      mayWrite: true,
      workspace: identified(folders.workspace),
      insideEnvironment: editorEnvironment,
    });
    return editSessions(
      (onLine) =>
        ScriptProcess.start(
          {
            nodePath: process.execPath,
            keeper: join(bundles, 'scriptKeeper.js'),
            environment: process.env,
            onLog: (line) => log.push(line),
            sandbox,
            script: 'sessionEditor.mjs',
          },
          onLine,
        ),
      edits,
      (line) => log.push(line),
    );
  }

  async function sessions(): Promise<readonly Session[]> {
    const { reader } = readerOf(folders);
    await reader.refresh();
    await reader.close();
    return [...reader.store.sessions].sort((one, other) => one.created - other.created);
  }

  it('renames, archives and brings back, as opencode itself does', async () => {
    const [first] = await sessions();
    assert.ok(first);
    assert.equal(first.title, 'A greeting');
    assert.equal(first.sums?.isOpen, false);
    assert.deepEqual(
      first.sums.files.map(({ file }) => file),
      ['greeting.txt'],
    );
    await edit(
      { rename: { session: first.id, title: 'Hello – “Ada”' } },
      { archive: { session: first.id, time: 1234567890123 } },
    );
    const [renamed] = await sessions();
    assert.equal(renamed?.title, 'Hello – “Ada”');
    assert.equal(renamed.archived, 1234567890123);
    await edit({ archive: { session: first.id, time: 0 } });
    assert.equal((await sessions())[0]?.archived, null);
  });

  it('exports all of a session, deletes it, and restores it from that', async () => {
    const [first] = await sessions();
    assert.ok(first);
    const [text = '', , clean = ''] = await edit(
      { exportSession: { session: first.id, isSanitized: false } },
      { rename: { session: first.id, title: 'Later' } },
      { exportSession: { session: first.id, isSanitized: true } },
    );
    const exported = JSON.parse(text) as { info: { id: string; title: string }; messages: unknown[] };
    assert.equal(exported.info.id, first.id);
    assert.equal(exported.messages.length, first.sums?.messages);
    assert.doesNotMatch(clean, /hello Ada/);
    await edit({ remove: { session: first.id } });
    assert.equal((await sessions()).length, 1);
    await edit({ restore: { content: text, directory: folders.workspace } });
    const restored = (await sessions()).find(({ id }) => id === first.id);
    assert.equal(restored?.title, exported.info.title);
    assert.equal(restored.directory, folders.workspace);
    assert.equal(restored.sums?.messages, first.sums?.messages);
  });

  it('says so when opencode does not do it', async () => {
    await assert.rejects(edit({ rename: { session: 'ses_00000000000000000000000000', title: 'x' } }), {
      code: 'sessions.notChanged',
    });
    assert.match(log.join('\n'), /404/);
  });

  it('moves a session here whose folder is not there any more', async () => {
    const [session] = await sessions();
    assert.ok(session);
    changeDatabase(folders, `db.exec("UPDATE session SET directory='/gone' WHERE id='${session.id}'")`);
    assert.equal((await sessions())[0]?.directory, '/gone');
    // one that is not there is no sign that this opencode can't
    const [one, missing] = [session.id, 'ses_00000000000000000000000000'].map((id) => ({
      move: { session: id, directory: folders.workspace },
    }));
    assert.ok(one && missing);
    await assert.rejects(edit(one, missing), { code: 'sessions.notChanged' });
    assert.equal((await sessions())[0]?.directory, folders.workspace);
  });

  it('sees that an answer was interrupted', async () => {
    await interruptedSession(folders);
    const all = await sessions();
    const last = all.at(-1);
    assert.equal(last?.sums?.isOpen, true);
    assert.ok(Date.now() - last.sums.lastMessage < 300_000);
    assert.deepEqual(
      all.slice(0, -1).map(({ sums }) => sums?.isOpen),
      [false, false],
    );
  });
});
