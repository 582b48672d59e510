import assert from 'node:assert/strict';
import type { NetworkEntry } from '../../../src/gateway/gateway';
import { NetworkLog } from '../../../src/gateway/networkLog';

const entry = (id: number, host: string, verdict: NetworkEntry['verdict'] = 'allowed'): NetworkEntry => ({
  ...{ id, time: 0, host, port: 443, kind: 'tunnel', verdict, bytesSent: 0, bytesReceived: 0 },
});

describe('the network log', () => {
  it('keeps one entry for an attempt, with what is known last', () => {
    const log = new NetworkLog();
    log.record(entry(1, 'a.example'));
    log.record(entry(2, 'b.example'));
    log.record({ ...entry(1, 'a.example'), bytesSent: 5, durationMilliseconds: 7 });
    assert.deepEqual(
      log.entries().map(({ id, bytesSent }) => [id, bytesSent]),
      [
        [1, 5],
        [2, 0],
      ],
    );
  });

  it('tells once for each host that it was denied', () => {
    const log = new NetworkLog();
    assert.equal(log.record(entry(1, 'a.example')), false);
    assert.equal(log.record(entry(2, 'b.example', 'denied')), true);
    assert.equal(log.record(entry(3, 'b.example', 'denied')), false);
    assert.equal(log.record(entry(4, 'c.example', 'failed')), false);
    assert.equal(log.record(entry(1, 'a.example', 'denied')), true);
    assert.deepEqual(log.deniedHosts(), ['b.example', 'a.example']);
  });

  it('keeps the last thousand, and does not count a host again that has left', () => {
    const log = new NetworkLog();
    for (let id = 1; id <= 3000; id += 1) {
      log.record(entry(id, `host${id}.example`, 'denied'));
    }
    assert.equal(log.entries().length, 1000);
    assert.equal(log.entries()[0]?.id, 2001);
    log.record(entry(5, 'host5.example', 'denied'));
    assert.equal(log.entries()[0]?.id, 2001);
    assert.equal(log.deniedHosts().length, 1000);
    assert.equal(log.record(entry(3001, 'host1.example', 'denied')), false);
  });

  it('counts the hosts that were denied beyond the first thousand, each once, up to ten thousand', () => {
    const log = new NetworkLog();
    const deny = (from: number, to: number): void => {
      for (let id = from; id <= to; id += 1) log.record(entry(id, `host${id}.example`, 'denied'));
    };
    deny(1, 1000);
    assert.equal(log.deniedHostsLeftOff(), 0);
    deny(1001, 1005);
    deny(990, 1005);
    assert.equal(log.deniedHostsLeftOff(), 5);
    assert.equal(log.record(entry(1006, 'host1006.example', 'denied')), false);
    deny(1007, 12_000);
    assert.equal(log.deniedHostsLeftOff(), 10_000);
    assert.equal(log.deniedHosts().at(-1), 'host1000.example');
  });

  it('lets nothing that was free for the agent push out what could carry data out', () => {
    const log = new NetworkLog();
    log.record({ ...entry(1, 'upload.example'), durationMilliseconds: 1 });
    log.record({ ...entry(2, 'cut.example', 'failed'), bytesSent: 9 });
    log.record({ ...entry(3, 'withdrawn.example', 'denied'), bytesSent: 9, reason: 'notAllowed' });
    for (let id = 4; id <= 5000; id += 1) {
      log.record(entry(id, `host${id}.example`, id % 2 === 0 ? 'denied' : 'failed'));
    }
    assert.equal(log.entries().length, 2003);
    assert.deepEqual(
      log
        .entries()
        .slice(0, 3)
        .map(({ host }) => host),
      ['upload.example', 'cut.example', 'withdrawn.example'],
    );
  });

  it('keeps what is open when there is much, so that it is known what that has carried', () => {
    const log = new NetworkLog();
    log.record(entry(1, 'open.example'));
    for (let id = 2; id <= 3000; id += 1) {
      log.record({ ...entry(id, 'quick.example'), durationMilliseconds: 1 });
    }
    log.record({ ...entry(1, 'open.example'), bytesSent: 1e9, durationMilliseconds: 7 });
    assert.equal(log.entries()[0]?.bytesSent, 1e9);
    assert.equal(log.entries().length, 1000);
  });

  it('keeps the last fifty of what was denied alike, and others beside them', () => {
    const log = new NetworkLog();
    log.record({ ...entry(1, 'once.example', 'denied'), reason: 'notAllowed' });
    log.record({ ...entry(2, 'noise.example', 'denied'), reason: 'notTls' });
    for (let id = 3; id <= 3000; id += 1) {
      log.record({ ...entry(id, 'noise.example', 'denied'), reason: 'notAllowed' });
    }
    assert.deepEqual(
      log
        .entries()
        .slice(0, 3)
        .map(({ id }) => id),
      [1, 2, 2951],
    );
    assert.equal(log.entries().length, 52);
  });

  it('has each attempt once, also when it turns out to be of another kind', () => {
    const log = new NetworkLog();
    for (const verdict of ['allowed', 'failed', 'denied', 'allowed'] as const) {
      log.record(entry(1, 'a.example', verdict));
      assert.deepEqual(
        log.entries().map((one) => one.verdict),
        [verdict],
      );
    }
  });
});
