import { hostname } from 'node:os';
import { identifyProcess, readBootId } from '../../src/host/processIdentity';
import type { SandboxIndexEntry } from '../../src/host/sandboxIndex';

/** An entry whose supervisor is this very process. */
export async function liveEntry(more: Partial<SandboxIndexEntry> = {}): Promise<SandboxIndexEntry> {
  return {
    id: '0123456789abcdef',
    hostName: hostname(),
    bootId: await readBootId(),
    runDirectory: '/tmp/sandboxed-agent-missing',
    socket: '/tmp/sandboxed-agent-missing/control/supervisor.sock',
    workspace: '/data/project',
    kind: 'agent',
    supervisorPid: process.pid,
    supervisorStartTime: identifyProcess(process.pid)?.startTime ?? '',
    ...more,
  };
}
