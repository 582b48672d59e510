import assert from 'node:assert/strict';
import type { SandboxIndexEntry } from '../../../src/host/sandboxIndex';
import { HostSandboxes } from '../../../src/launch/hostSandboxes';
import { message } from '../../../src/sandbox/message';
import { UserError } from '../../../src/sandbox/userError';
import { FakeConnection, summary } from '../../support/fakeConnection';
import { waitUntil } from '../../support/waitUntil';

function entryOf(id: string): SandboxIndexEntry {
  return {
    ...{ id, socket: `/run/${id}`, runDirectory: '/run', workspace: '/data/project', kind: 'agent' },
    ...{ hostName: 'here', bootId: 'boot', supervisorPid: 2 ** 22 + 1, supervisorStartTime: '1' },
  };
}

const [live, silent, older] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb', 'cccccccccccccccc'] as const;

describe('HostSandboxes', () => {
  let entries: SandboxIndexEntry[];
  let connection: FakeConnection;
  let asked: string[];
  let changed: () => void;
  let sandboxes: HostSandboxes;
  const answers = (): Record<string, string> =>
    Object.fromEntries(sandboxes.list().map(({ entry, answer }) => [entry.id, answer]));

  beforeEach(() => {
    entries = [live, silent, older].map((id) => entryOf(id));
    connection = new FakeConnection({ ...summary, id: live });
    asked = [];
    sandboxes = new HostSandboxes({
      entries: () => Promise.resolve(entries),
      watch: (listener) => {
        changed = listener;
        return Promise.resolve(() => undefined);
      },
      connect: (socket) => {
        asked.push(socket);
        if (socket.endsWith(live)) {
          return Promise.resolve(connection);
        }
        if (socket.endsWith(older)) {
          const restricted = new FakeConnection({ ...summary, id: older }, { phase: 'running' });
          restricted.restriction = new UserError('supervisor.otherVersion', message('no'));
          return Promise.resolve(restricted);
        }
        return Promise.reject(new UserError('supervisor.notAnswering', message('no')));
      },
      onChange: () => undefined,
      onError: (error) => assert.fail(String(error)),
    });
  });
  afterEach(() => sandboxes.stop());

  it('looks at nothing until it is started', () => {
    assert.deepEqual(sandboxes.list(), []);
    assert.deepEqual(asked, []);
  });

  it('tells those that answer from those that do not, and from another version’s', async () => {
    sandboxes.start();
    await waitUntil(
      'all were asked',
      () => Object.values(answers()).every((answer) => answer !== 'asking') && asked.length === 3,
    );
    assert.deepEqual(answers(), {
      [live]: 'answering',
      [silent]: 'notAnswering',
      [older]: 'otherVersion',
    });
    assert.deepEqual(
      sandboxes.list().map(({ live: told }) => told?.summary.id),
      [live, undefined, undefined],
    );
  });

  it('follows the status, and forgets what has ended', async () => {
    sandboxes.start();
    await waitUntil('it is connected', () => sandboxes.list().some((sandbox) => sandbox.live));
    connection.becomes({ phase: 'ended', end: { reason: 'exited' } });
    assert.ok(!sandboxes.list().some(({ entry }) => entry.id === live));
    connection.closes(true);
    assert.equal(asked.filter((socket) => socket.endsWith(live)).length, 1);
  });

  it('asks again when a connection is lost', async () => {
    sandboxes.start();
    await waitUntil('it is connected', () => sandboxes.list().some((sandbox) => sandbox.live));
    connection.closes(false);
    await waitUntil('it is asked again', () => asked.filter((socket) => socket.endsWith(live)).length === 2);
  });

  it('takes off the list what is no longer entered', async () => {
    sandboxes.start();
    await waitUntil('it is connected', () => sandboxes.list().some((sandbox) => sandbox.live));
    entries = entries.slice(1);
    changed();
    await waitUntil('it is gone', () => sandboxes.list().length === 2);
    assert.ok(connection.isDisposed);
  });

  it('does not ask a supervisor that does not listen yet', async () => {
    entries = [{ ...entryOf(live), isStarting: true }];
    sandboxes.start();
    // no process has this pid
    await waitUntil('it was looked at', () => answers()[live] === 'notAnswering');
    assert.deepEqual(asked, []);
  });

  it('lets go of everything when nobody looks', async () => {
    sandboxes.start();
    await waitUntil('it is connected', () => sandboxes.list().some((sandbox) => sandbox.live));
    sandboxes.stop();
    assert.deepEqual(sandboxes.list(), []);
    assert.ok(connection.isDisposed);
  });
});
