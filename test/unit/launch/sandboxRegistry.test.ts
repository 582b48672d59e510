import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxRegistry } from '../../../src/launch/sandboxRegistry';
import { message } from '../../../src/sandbox/message';
import { UserError } from '../../../src/sandbox/userError';
import type { SandboxEnd } from '../../../src/supervisor/protocol';
import { sandboxState } from '../../../src/ui/status/statusText';
import { FakeConnection, verdictOf } from '../../support/fakeConnection';
import { first, RegistryUnderTest, second, socketOf } from '../../support/registryUnderTest';

describe('SandboxRegistry', () => {
  let host: RegistryUnderTest;
  let registry: SandboxRegistry;
  let connections: RegistryUnderTest['connections'];
  const connectionOf = (sandbox: typeof first): FakeConnection => host.connectionOf(sandbox);
  const ids = (): string[] => host.ids();

  beforeEach(() => {
    host = new RegistryUnderTest();
    ({ registry, connections } = host);
  });

  afterEach(() => registry.dispose());

  it('finds the live sandboxes of its folders, the oldest first, and each once', async () => {
    const found = await registry.discover();
    assert.equal(found.length, 2);
    assert.deepEqual(ids(), [first.id, second.id]);
    assert.deepEqual(await registry.discover(), []);
    assert.equal(host.connected.length, 2);
  });

  it('connects once to a sandbox that is adopted and discovered at the same time', async () => {
    const [adopted] = await Promise.all([registry.adopt(socketOf(first)), registry.discover()]);
    assert.equal(adopted.summary.id, first.id);
    assert.deepEqual(host.connected.sort(), [socketOf(first), socketOf(second)]);
    assert.equal((await registry.adopt(socketOf(first))).summary.id, first.id);
    assert.equal(host.connected.length, 2);
  });

  it('does not take the failure of an attempt that came too early for its own', async () => {
    const connection = connectionOf(first);
    connections.delete(socketOf(first));
    const early = registry.adopt(socketOf(first));
    const later = registry.adopt(socketOf(first));
    connections.set(socketOf(first), connection);
    await assert.rejects(early, /nobody answers/);
    assert.equal((await later).summary.id, first.id);
  });

  it('lists one that does not answer, without a verdict', async () => {
    connections.delete(socketOf(first));
    const found = await registry.discover();
    assert.deepEqual(
      found.map((known) => known.summary.id),
      [second.id],
    );
    const unanswered = registry.running().find((known) => known.summary.id === first.id);
    assert(unanswered);
    assert.equal(sandboxState(unanswered.status, Date.now()), 'notVerified');
    assert.match(unanswered.problem?.text ?? '', /does not answer/);
    assert.equal(unanswered.summary.workspace, first.workspace);
    assert.match(host.logged.join('\n'), /nobody answers/);
  });

  it('has it like the others as soon as it answers', async () => {
    const connection = connectionOf(first);
    connections.delete(socketOf(first));
    await registry.discover();
    connections.set(socketOf(first), connection);
    assert.equal((await registry.discover())[0]?.summary.id, first.id);
    assert.equal(registry.list()[0]?.problem, undefined);
    assert.equal(registry.list()[0]?.status.verdict, connection.status.verdict);
  });

  it('takes one that does not answer off the list when it is gone', async () => {
    connections.delete(socketOf(first));
    await registry.discover();
    host.live = [second];
    await registry.discover();
    assert.deepEqual(ids(), [second.id]);
  });

  it('stops one that does not answer', async () => {
    connections.delete(socketOf(first));
    await registry.discover();
    await registry.stop(first.id);
    assert.deepEqual(host.killed, [first.id]);
    assert.deepEqual(ids(), [second.id]);
  });

  it('takes one off the list that has ended without its own word, and tells how', async () => {
    await registry.discover();
    const ends: SandboxEnd[] = [];
    registry.onEnd((_sandbox, end) => ends.push(end));
    const connection = connectionOf(first);
    connection.stop = () => {
      // its supervisor is killed
      connection.closes(false);
      return Promise.resolve({ reason: 'stopped' });
    };
    await registry.stop(first.id);
    assert.deepEqual(ids(), [second.id]);
    // longer than the registry waits before it says that a supervisor was killed
    await delay(300);
    assert.deepEqual(ends, [{ reason: 'stopped' }]);
  });

  it('tells an end once, also when the index still has it and its supervisor says so to whoever asks', async () => {
    await registry.discover();
    const ends: string[] = [];
    registry.onEnd(({ summary }) => ends.push(summary.id));
    await registry.stop(first.id);
    await registry.adopt(socketOf(first));
    assert.deepEqual(ends, [first.id]);
  });

  it('keeps one on the list that could not be ended', async () => {
    await registry.discover();
    connectionOf(first).stop = () => Promise.reject(new Error('something is left'));
    await assert.rejects(registry.stop(first.id), /something is left/);
    assert.deepEqual(ids(), [first.id, second.id]);
  });

  it('ends one that was never connected to', async () => {
    connections.delete(socketOf(first));
    await registry.stop(first.id);
    assert.deepEqual(host.killed, [first.id]);
  });

  it('says why one of another version can only be stopped', async () => {
    const description = message('another version');
    connectionOf(first).restriction = new UserError('supervisor.otherVersion', description);
    await registry.discover();
    assert.equal(registry.list()[0]?.problem, description);
    await registry.stop(first.id);
    assert.deepEqual(ids(), [second.id]);
    assert.deepEqual(host.killed, []);
  });

  it('tells every change, with the latest status', async () => {
    await registry.adopt(socketOf(first));
    let changes = 0;
    registry.onChange(() => (changes += 1));
    const verdict = verdictOf({ state: 'degraded' });
    connectionOf(first).becomes({ phase: 'running', verdict });
    assert.equal(changes, 1);
    assert.equal(registry.list()[0]?.status.verdict, verdict);
  });

  it('logs what a supervisor says', async () => {
    await registry.adopt(socketOf(first));
    connectionOf(first).logs('denied');
    assert.deepEqual(host.logged, [`[${first.id}] denied`]);
  });

  it('tells once that the clipboard was asked for', async () => {
    const told: string[] = [];
    registry.onClipboardHeld((sandbox) => told.push(sandbox.summary.id));
    await registry.discover();
    connectionOf(first).holdsClipboard();
    assert.deepEqual(told, [first.id]);
  });

  it('stops a sandbox and takes it off the list', async () => {
    await registry.discover();
    const ends: SandboxEnd[] = [];
    registry.onEnd((_sandbox, end) => ends.push(end));
    await registry.stop(first.id);
    assert.deepEqual(ids(), [second.id]);
    assert.deepEqual(
      ends.map(({ reason }) => reason),
      ['stopped'],
    );
    assert.ok(connectionOf(first).isDisposed);
    await registry.stop(first.id);
    assert.deepEqual(connectionOf(first).sent, ['stop']);
    assert.deepEqual(host.killed, []);
  });

  it('keeps a sandbox that broke until it is forgotten', async () => {
    await registry.discover();
    connectionOf(first).becomes({ phase: 'ended', end: { reason: 'broken' } });
    assert.deepEqual(ids(), [first.id, second.id]);
    assert.deepEqual(
      registry.running().map((known) => known.summary.id),
      [second.id],
    );
    registry.forget(second.id);
    registry.forget(first.id);
    assert.deepEqual(ids(), [second.id]);
  });

  it('marks what has ended as reported, and nothing that runs', async () => {
    await registry.discover();
    connectionOf(first).becomes({ phase: 'ended', end: { reason: 'refused' } });
    registry.acknowledgeEnds();
    assert.deepEqual(
      registry.list().map(({ isReported }) => isReported),
      [true, false],
    );
  });

  it('finds a sandbox again whose stream ended without a word', async () => {
    await registry.discover();
    const lost = connectionOf(first);
    connections.set(socketOf(first), new FakeConnection(first));
    const again = new Promise<void>((resolve) => {
      registry.onChange(() => registry.list()[0]?.status.verdict && resolve());
    });
    lost.closes(false);
    assert.equal(registry.list()[0]?.status.verdict, undefined);
    assert.ok(registry.list()[0]?.problem);
    await again;
    assert.equal(host.connected.filter((socket) => socket === socketOf(first)).length, 2);
  });

  it('tells that a sandbox has ended whose supervisor was killed', async () => {
    await registry.discover();
    const told = new Promise<SandboxEnd>((resolve) => {
      registry.onEnd((_sandbox, end) => resolve(end));
    });
    host.live = [second];
    host.crashes.set(first.id, 'Error: no more room');
    connectionOf(first).closes(false);
    const end = await told;
    assert.match(host.logged.join(), /has failed: Error: no more room/);
    assert.equal(end.reason, 'failed');
    assert.match(end.explanation?.text ?? '', /was killed/);
    assert.deepEqual(ids(), [second.id]);
  });

  it('lets go of all without ending any', async () => {
    await registry.discover();
    registry.dispose();
    for (const sandbox of [first, second]) {
      assert.ok(connectionOf(sandbox).isDisposed);
      assert.deepEqual(connectionOf(sandbox).sent, []);
    }
  });
});
