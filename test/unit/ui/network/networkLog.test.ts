import assert from 'node:assert/strict';
import type { NetworkEntry } from '../../../../src/gateway/gateway';
import type { KnownSandbox } from '../../../../src/launch/sandboxRegistry';
import { NetworkLogs } from '../../../../src/ui/network/networkLog';
import { allowedEntry, entryOf, restrictedSandbox } from '../../../support/networkEntries';

const sandbox = restrictedSandbox();

/** Logs over sandboxes that run, and what each of them would answer. */
function logsOver(
  running: KnownSandbox[],
  answer: (id: string) => Promise<readonly NetworkEntry[]> = () => Promise.resolve([]),
): { logs: NetworkLogs; asked: string[] } {
  const asked: string[] = [];
  const logs = new NetworkLogs({
    running: () => running,
    networkLog: (id) => {
      asked.push(id);
      return answer(id);
    },
  });
  return { logs, asked };
}

describe('the network logs of a window', () => {
  it('keep what is told, and what becomes of it, in its order', () => {
    const { logs } = logsOver([sandbox]);
    const { durationMilliseconds: _open, ...open } = allowedEntry({ id: 2 });
    logs.record(sandbox, open);
    logs.record(sandbox, entryOf({ id: 3 }));
    logs.record(sandbox, allowedEntry({ id: 2, bytesSent: 9 }));
    const [log] = logs.list();
    assert.deepEqual(
      log?.entries.map(({ id, bytesSent }) => [id, bytesSent]),
      [
        [2, 9],
        [3, 0],
      ],
    );
    assert.equal(log.isRunning, true);
  });

  it('ask each sandbox once for what came before', async () => {
    const { logs, asked } = logsOver([sandbox], () => Promise.resolve([entryOf({ id: 1 })]));
    logs.record(sandbox, entryOf({ id: 2 }));
    await logs.complete();
    await logs.complete();
    assert.deepEqual(asked, [sandbox.summary.id]);
    assert.deepEqual(
      logs.list()[0]?.entries.map(({ id }) => id),
      [1, 2],
    );
  });

  it('ask one again that could not answer, and none with a problem', async () => {
    const other = {
      ...restrictedSandbox({ id: 'ffffffffffffffff' }),
      problem: { text: 'no answer', values: [] },
    };
    const { logs, asked } = logsOver([sandbox, other], () => Promise.reject(new Error('lost')));
    await logs.complete();
    await logs.complete();
    assert.deepEqual(asked, [sandbox.summary.id, sandbox.summary.id]);
  });

  it('believe of one attempt the word that says how it ended', async () => {
    const { durationMilliseconds: _open, ...open } = allowedEntry({ id: 1 });
    const { logs } = logsOver([sandbox], () =>
      Promise.resolve([open, allowedEntry({ id: 2, bytesSent: 7 })]),
    );
    logs.record(sandbox, allowedEntry({ id: 1, bytesSent: 5 }));
    logs.record(sandbox, { ...open, id: 2 });
    await logs.complete();
    assert.deepEqual(
      logs.list()[0]?.entries.map(({ bytesSent }) => bytesSent),
      [5, 7],
    );
  });

  it('hold at most 1000 attempts of a sandbox, the latest', () => {
    const { logs } = logsOver([sandbox]);
    for (let id = 1; id <= 2500; id += 1) {
      logs.record(sandbox, entryOf({ id, host: `host${id}.example` }));
    }
    const entries = logs.list()[0]?.entries ?? [];
    assert.equal(entries.length, 1000);
    assert.equal(entries[0]?.id, 1501);
  });

  it('keep a name no longer than a name can be', () => {
    const { logs } = logsOver([sandbox]);
    assert.equal(logs.record(sandbox, entryOf({ host: 'x'.repeat(10_000) })).host.length, 253);
    assert.equal(logs.list()[0]?.entries[0]?.host.length, 253);
  });

  it('keep those of the last ten sandboxes when these have ended, and of all that run', () => {
    const running = [sandbox];
    const { logs } = logsOver(running);
    logs.record(sandbox, entryOf());
    for (let count = 0; count < 12; count += 1) {
      const ended = restrictedSandbox({ id: String(count).padStart(16, 'e') });
      logs.record(ended, entryOf());
    }
    const ids = logs.list().map(({ summary }) => summary.id);
    assert.equal(ids.length, 10);
    assert.ok(ids.includes(sandbox.summary.id));
    assert.ok(ids.includes('eeeeeeeeeeeeee11'));
    assert.equal(logs.list().filter(({ isRunning }) => isRunning).length, 1);
  });
});
