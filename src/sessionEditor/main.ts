/**
 * Runs inside a sandbox of its own without network, under the image's Bun, and has opencode change or export its
 * sessions: the database is written by opencode itself, never by us. Orders come over standard input, one line of JSON
 * each; what it answers goes to standard output in the same way. When the input ends, so does it. It imports nothing
 * of ours from outside this folder.
 */
import { spawn } from 'node:child_process';
import { closeSync, createReadStream, openSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { OpencodeServer } from './opencodeServer';

interface Order {
  readonly id: number;
  readonly rename?: { readonly session: string; readonly title: string };
  /** `time` 0: not archived (opencode takes no null) */
  readonly archive?: { readonly session: string; readonly time: number };
  readonly move?: { readonly session: string; readonly directory: string };
  readonly remove?: { readonly session: string };
  readonly exportSession?: { readonly session: string; readonly isSanitized: boolean };
  /** `content`: what an export wrote; the session comes back in `directory` */
  readonly restore?: { readonly content: string; readonly directory: string };
}

/** UTF-16 units in one line */
const chunkLength = 1024 * 1024;
const file = '/tmp/session.json';
/** opencode 1.2 does not have it. */
const movePath = '/experimental/control-plane/move-session';

/** This opencode can't do what was ordered, and has changed nothing. */
class Unsupported extends Error {}

const { BUN_BE_BUN: _ours, ...inherited } = process.env;
const environment = { ...inherited, PWD: '/tmp' };
let server: OpencodeServer | undefined;

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function obey(order: Order): Promise<void> {
  const { rename, archive, move, remove, exportSession, restore } = order;
  if (rename) await change(`/session/${rename.session}`, { title: rename.title });
  if (archive) await change(`/session/${archive.session}`, { time: { archived: archive.time } });
  if (move) await moveSession(move.session, move.directory);
  if (remove) await run(['session', 'delete', remove.session], '/tmp');
  if (exportSession) await sendExport(order.id, exportSession.session, exportSession.isSanitized);
  if (restore) {
    writeFileSync(file, placedIn(restore.directory, restore.content));
    await run(['import', file], restore.directory);
  }
}

async function change(path: string, body: object): Promise<void> {
  server ??= new OpencodeServer(environment);
  await server.request('PATCH', path, body);
}

/** @throws Unsupported, Error */
async function moveSession(sessionID: string, directory: string): Promise<void> {
  server ??= new OpencodeServer(environment);
  if (!(await server.knows(movePath))) throw new Unsupported();
  await server.request('POST', movePath, { sessionID, destination: { directory }, moveChanges: false });
}

/** Through a file: what opencode writes into a pipe is cut off when it ends (opencode #14948). */
async function sendExport(id: number, session: string, isSanitized: boolean): Promise<void> {
  const output = openSync(file, 'w');
  try {
    await run(['export', ...(isSanitized ? ['--sanitize'] : []), session], '/tmp', output);
  } finally {
    closeSync(output);
  }
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: chunkLength })) {
    say({ id, chunk: String(chunk) });
  }
}

/** What an export wrote, with another folder in it: opencode 1.2 takes the one that it finds there. @throws Error */
function placedIn(directory: string, content: string): string {
  const exported = JSON.parse(content) as { readonly info: object };
  return JSON.stringify({ ...exported, info: { ...exported.info, directory } });
}

/** @throws Error unless opencode ends with 0 */
function run(words: readonly string[], cwd: string, output: number | 'ignore' = 'ignore'): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('opencode', words, {
      cwd,
      env: { ...environment, PWD: cwd },
      stdio: ['ignore', output, 'ignore'],
    });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`opencode ended with ${code}`))));
  });
}

async function carryOut(line: string): Promise<void> {
  const order = JSON.parse(line) as Order;
  try {
    await obey(order);
    say({ id: order.id, done: true });
  } catch (error) {
    say(
      error instanceof Unsupported
        ? { id: order.id, unsupported: true }
        : { id: order.id, failed: String(error) },
    );
  } finally {
    rmSync(file, { force: true });
  }
}

let last = Promise.resolve();
const orders = createInterface({ input: process.stdin });
// one after another: opencode's processes share the database
orders.on('line', (line) => {
  last = last.then(() => carryOut(line));
});
orders.on('close', () => {
  server?.stop();
  process.exit(0);
});
