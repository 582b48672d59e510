import { readFile } from 'node:fs/promises';
import { type Distribution, parseDistribution } from './distribution';

/** Reads a small file of the system; empty where there is none. */
export async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

/** What this system is (os-release(5)). */
export async function readDistribution(): Promise<Distribution> {
  return parseDistribution(await readText('/etc/os-release'));
}
