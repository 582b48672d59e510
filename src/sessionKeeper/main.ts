/**
 * Runs inside a sandbox of its own without network, under the image's Bun, and looks after opencode's database: checks
 * it, makes backups of it, and when it is damaged repairs or replaces it. Orders come over standard input, one line of
 * JSON each; what it answers goes to standard output in the same way. When the input ends, so does it. It imports
 * nothing of ours but from the reader. What it moves out of the way stays in the home.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, constants, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { backUp, inspect } from './inspect';
import { finishReplacement, isUnfinished, moveAside, syncFile } from './moveAside';
import { repair } from './repair';

interface Order {
  readonly id: number;
  readonly inspect?: { readonly withVersion: boolean };
  /** `name` of a file in the folder of backups */
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

/** opencode's own; empty when it does not say */
function version(): string {
  const { BUN_BE_BUN: _ours, ...environment } = process.env;
  const { stdout } = spawnSync('opencode', ['--version'], {
    cwd: '/tmp',
    env: { ...environment, PWD: '/tmp' },
    encoding: 'utf8',
    timeout: versionMilliseconds,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return /^[\w.+-]{1,40}$/m.exec(stdout ?? '')?.[0] ?? '';
}

/** The agent could have put a link in the place of the folder, to have something else moved. */
function requireOwnFolder(): void {
  if (realpathSync(folder) !== folder) throw new Error('the folder of the database is a link');
}

function restore(name: string, aside: string): void {
  const path = join(folder, 'opencode.db');
  const copy = `${path}.restored`;
  rmSync(copy, { force: true });
  copyFileSync(join(backups, name), copy, constants.COPYFILE_EXCL);
  syncFile(copy);
  moveAside(folder, aside, copy);
}

function obey(order: Order): object {
  if (order.inspect) {
    if (isUnfinished(folder)) {
      requireOwnFolder();
      finishReplacement(folder);
    }
    const found = inspect(folder);
    // opencode itself writes into the home when it is asked
    const isAsked = order.inspect.withVersion && found.state !== 'malformed';
    return { inspected: { ...found, version: isAsked ? version() : '' } };
  }
  requireOwnFolder();
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
