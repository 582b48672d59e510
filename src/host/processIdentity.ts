import { readFile } from 'node:fs/promises';

/** Changes with every boot of the machine; with a pid and its start time it names a process for ever. */
export async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}
