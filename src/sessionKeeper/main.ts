/**
 * Runs inside a sandbox of its own without network, under the image's Bun, and looks after opencode's database: checks
 * it, makes backups of it, and when it is damaged repairs or replaces it. Orders come over standard input, one line of
 * JSON each; what it answers goes to standard output in the same way. When the input ends, so does it. It imports
 * nothing of ours but from the reader. What it moves out of the way stays in the home.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, constants, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { backUp, inspect } from './inspect';
import { databaseNames, finishReplacement, isUnfinished, moveAside, syncFile } from './moveAside';
import { makeWay, openUp, requireOwnFolder } from './ownFolder';
import { repair } from './repair';

interface Order {
  readonly id: number;
  /** `aside`: name of the folder for what was put in the way of a replacement that is finished now */
  readonly inspect?: { readonly withVersion: boolean; readonly aside: string };
  /** `name` of a file in the folder for backups, which is empty then; for `restore` it has them all and is read-only */
  readonly backUp?: { readonly name: string };
  /** `aside`: name of the folder into which the damaged database goes */
  readonly repair?: { readonly aside: string };
  readonly restore?: { readonly name: string; readonly aside: string };
  readonly startFresh?: { readonly aside: string };
}

const [, , folder = '', backups = ''] = process.argv;
/** loading 100 MB of program from a cold disk takes seconds */
const versionMilliseconds = 60_000;

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/**
 * opencode's own; empty when it does not say. It makes folders at each start: in a home of its own, because links in the
 * agent's would lead it elsewhere.
 */
function version(): string {
  const { BUN_BE_BUN: _ours, ...environment } = process.env;
  const place = mkdtempSync('/tmp/version-');
  const folders = ['XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'];
  const { stdout } = spawnSync('opencode', ['--version'], {
    cwd: place,
    env: {
      ...environment,
      ...Object.fromEntries(folders.map((name) => [name, join(place, name)])),
      HOME: place,
      PWD: place,
    },
    encoding: 'utf8',
    timeout: versionMilliseconds,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return /^[\w.+-]{1,40}$/m.exec(stdout ?? '')?.[0] ?? '';
}

function restore(name: string, aside: string): void {
  const copy = 'opencode.db.restored';
  makeWay(folder, copy, aside);
  copyFileSync(join(backups, name), join(folder, copy), constants.COPYFILE_EXCL);
  syncFile(join(folder, copy));
  moveAside(folder, aside, copy);
}

function obey(order: Order): object {
  const isInPlace = openUp(folder, databaseNames);
  if (order.inspect) {
    const { withVersion, aside } = order.inspect;
    if (isInPlace && isUnfinished(folder)) finishReplacement(folder, aside);
    const found = isInPlace ? inspect(folder) : { state: 'misplaced', bytes: 0 };
    return { inspected: { ...found, version: withVersion ? version() : '' } };
  }
  requireOwnFolder(folder);
  if (order.backUp) backUp(folder, join(backups, order.backUp.name));
  if (order.repair) return { repaired: repair(folder, order.repair.aside) };
  if (order.restore) restore(order.restore.name, order.restore.aside);
  if (order.startFresh) moveAside(folder, order.startFresh.aside);
  return { done: true };
}

const orders = createInterface({ input: process.stdin });
orders.on('line', (line) => {
  const order = JSON.parse(line) as Order;
  try {
    say({ id: order.id, ...obey(order) });
  } catch (error) {
    say({ id: order.id, failed: String(error).slice(0, 1000) });
  }
});
orders.on('close', () => process.exit(0));
