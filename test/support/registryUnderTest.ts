import assert from 'node:assert/strict';
import type { SandboxIndexEntry } from '../../src/host/sandboxIndex';
import { SandboxRegistry } from '../../src/launch/sandboxRegistry';
import { FakeConnection, summary } from './fakeConnection';

/** The sandboxes of a host: two of this window's folder, and one of another. */
export const first = { ...summary, id: 'aaaaaaaaaaaaaaaa', startedAt: 1 };
export const second = { ...summary, id: 'bbbbbbbbbbbbbbbb', startedAt: 2 };
const foreign = { ...summary, id: 'cccccccccccccccc', startedAt: 3, workspace: '/data/other' };

function entryOf({ id, kind, workspace, supervisorPid }: typeof summary): SandboxIndexEntry {
  const run = { runDirectory: `/run/${id}`, socket: `/run/${id}/socket` };
  return {
    id,
    kind,
    workspace,
    supervisorPid,
    ...run,
    hostName: 'here',
    bootId: 'boot',
    supervisorStartTime: '1',
  };
}

export const socketOf = (sandbox: typeof summary): string => entryOf(sandbox).socket;

/** A registry on a host of {@link first}, {@link second} and {@link foreign}, whose supervisors are the test's. */
export class RegistryUnderTest {
  live = [second, first, foreign];
  readonly connections = new Map(
    this.live.map((sandbox) => [socketOf(sandbox), new FakeConnection(sandbox)]),
  );
  /** the sockets that were connected to */
  readonly connected: string[] = [];
  readonly logged: string[] = [];
  /** what the process of a sandbox has noted, by the sandbox's id */
  readonly crashes = new Map<string, string>();
  /** the ids of those that were ended without an answer */
  readonly killed: string[] = [];
  readonly registry = new SandboxRegistry({
    findLive: () => Promise.resolve(this.live.map(entryOf)),
    connect: (socket) => {
      this.connected.push(socket);
      const connection = this.connections.get(socket);
      return connection ? Promise.resolve(connection) : Promise.reject(new Error('nobody answers'));
    },
    end: async (id) => {
      const connection = this.connections.get(`/run/${id}/socket`);
      this.killed.push(...(connection ? [] : [id]));
      this.live = this.live.filter((sandbox) => sandbox.id !== id);
      return connection ? connection.stop() : { reason: 'stopped' };
    },
    folders: () => Promise.resolve(new Set([summary.workspace])),
    readCrash: (id) => Promise.resolve(this.crashes.get(id)),
    log: (line) => this.logged.push(line),
  });

  connectionOf(sandbox: typeof summary): FakeConnection {
    const connection = this.connections.get(socketOf(sandbox));
    assert(connection);
    return connection;
  }

  ids(): string[] {
    return this.registry.list().map((known) => known.summary.id);
  }
}
