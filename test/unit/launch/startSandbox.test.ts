import assert from 'node:assert/strict';
import type { KnownSandbox } from '../../../src/launch/sandboxRegistry';
import { startSandbox, type StartParts } from '../../../src/launch/startSandbox';
import { noSecrets } from '../../../src/sandbox/networkAccess';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { Cancelled } from '../../../src/sandbox/userError';
import { FakeConnection, summary } from '../../support/fakeConnection';

const specification = { id: summary.id } as SandboxSpecification;

describe('startSandbox', () => {
  let stopped: string[];
  let patience: (number | undefined)[];
  let connection: FakeConnection;
  let parts: StartParts;

  beforeEach(() => {
    stopped = [];
    patience = [];
    connection = new FakeConnection(summary);
    parts = {
      registry: {
        adopt: (socket, options) => {
          patience.push(options?.patienceMilliseconds);
          return Promise.resolve<KnownSandbox>({ socket, summary, status: { phase: 'starting' } });
        },
        stop: (id) => {
          stopped.push(id);
          return Promise.resolve();
        },
      },
      startSupervisor: () => Promise.resolve('/run/socket'),
      connect: (_socket, options) => {
        patience.push(options?.patienceMilliseconds);
        return Promise.resolve(connection);
      },
    };
  });

  const start = (changes: Partial<StartParts> = {}, signal = new AbortController().signal) =>
    startSandbox({ specification, secrets: noSecrets }, { ...parts, ...changes }, signal);

  it('returns a connection, and is patient with a supervisor that was just started', async () => {
    const started = await start();
    assert.equal(started.connection, connection);
    assert.equal(started.sandbox.summary, summary);
    assert.deepEqual(stopped, []);
    assert.ok(patience.every((milliseconds) => milliseconds !== undefined && milliseconds >= 30_000));
  });

  it('ends the sandbox when its supervisor does not answer the registry', async () => {
    const adopt = () => Promise.reject(new Error('no answer in time'));
    await assert.rejects(start({ registry: { ...parts.registry, adopt } }), /no answer in time/);
    assert.deepEqual(stopped, [summary.id]);
  });

  it('ends the sandbox when the terminal can’t be connected', async () => {
    await assert.rejects(start({ connect: () => Promise.reject(new Error('gone')) }), /gone/);
    assert.deepEqual(stopped, [summary.id]);
  });

  it('ends the sandbox when the terminal is closed meanwhile', async () => {
    const closing = new AbortController();
    const connect = () => {
      closing.abort();
      return Promise.resolve(connection);
    };
    await assert.rejects(start({ connect }, closing.signal), Cancelled);
    assert.deepEqual(stopped, [summary.id]);
    assert.ok(connection.isDisposed);
  });

  it('starts nothing for a terminal that is closed', async () => {
    const startSupervisor = () => assert.fail();
    await assert.rejects(start({ startSupervisor }, AbortSignal.abort()), Cancelled);
    assert.deepEqual(stopped, []);
  });
});
