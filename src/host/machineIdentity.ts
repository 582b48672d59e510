import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names this machine in what VS Code keeps where its window is, which may be another machine: the same folder and the
 * same 127.0.0.1 are something else on each of them. A hash, since machine-id(5) wants the id itself kept to the
 * machine.
 * @returns 64 hexadecimal digits
 */
export function machineIdentity(): string {
  return identityOf(readMachineId(), hostname());
}

/**
 * @param machineId content of /etc/machine-id; undefined where there is none
 * @param hostName used when that is no id: a system that has not booted completely has `uninitialized` there
 */
export function identityOf(machineId: string | undefined, hostName: string): string {
  const id = machineId?.trim() ?? '';
  const name = /^[\da-f]{32}$/.test(id) ? `machine ${id}` : `host ${hostName}`;
  return createHash('sha256').update(`Sandboxed Agent ${name}`).digest('hex');
}

function readMachineId(): string | undefined {
  try {
    return readFileSync('/etc/machine-id', 'utf8');
  } catch {
    return undefined;
  }
}
