import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from '../../../src/host/runProcess';
import { ScriptProcess } from '../../../src/launch/scriptProcess';
import { SessionReader } from '../../../src/launch/sessionReader';
import type { SessionSandbox } from '../../../src/sandbox/sessionPlan';
import { apptainer, image } from '../../support/environment';
import { plainEnvironment } from './plainCommand';
import { bundles, identified, type TestFolders } from './sandboxUnderTest';

/** A workspace with an agent-home, and where to put what is needed besides. */
type Folders = Pick<TestFolders, 'workspace' | 'root'>;

export const homeOf = ({ workspace }: Pick<Folders, 'workspace'>): string => join(workspace, 'agent-home');
export const dataOf = (folders: Pick<Folders, 'workspace'>): string =>
  join(homeOf(folders), '.local/share/opencode');

/** Makes the folder in which opencode would keep its sessions. */
export function makeData(folders: Folders): string {
  mkdirSync(dataOf(folders), { recursive: true });
  return dataOf(folders);
}

/** The tables that the reader looks at, as opencode 1.18 makes them. */
export const schema = `
CREATE TABLE session(id text PRIMARY KEY, project_id text, parent_id text, slug text, directory text, path text,
  title text, version text, cost real, tokens_input integer, tokens_output integer, tokens_reasoning integer,
  tokens_cache_read integer, agent text, model text, time_created integer, time_updated integer,
  time_archived integer);
CREATE TABLE message(id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part(id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer,
  data text);
CREATE INDEX message_session ON message(session_id, time_created, id);
CREATE INDEX part_message ON part(message_id, id);
`;

/** An id as opencode makes them. */
export const id = (kind: 'ses' | 'msg' | 'prt', number: number): string =>
  `${kind}_${String(number).padStart(26, '0')}`;

/** The command that runs a script under the image's Bun with the home writable, as an agent could. */
function changeCommand(folders: Folders, script: string): readonly string[] {
  const data = makeData(folders);
  const file = join(folders.root, 'change.mjs');
  writeFileSync(
    file,
    `import { Database } from 'bun:sqlite';
import * as fs from 'node:fs';
process.chdir('/data');
const schema = ${JSON.stringify(schema)};
const db = new Database('opencode.db', { create: true });
db.exec('PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0');
const id = (kind, number) => kind + '_' + String(number).padStart(26, '0');
const insert = (table, row) => db.prepare('INSERT INTO ' + table + '(' + Object.keys(row) + ') VALUES(' + Object.keys(row).map(() => '?') + ')').run(...Object.values(row));
${script}
// as if killed: the log stays
process.kill(process.pid, 'SIGKILL');
`,
  );
  return [
    ...['-q', 'exec', '--containall', '--cleanenv', '--no-eval', '--pwd', '/'],
    ...['--mount', `type=bind,source=${data},destination=/data`],
    ...['--mount', `type=bind,source=${file},destination=/change.mjs,ro`],
    ...[image(), 'env', 'BUN_BE_BUN=1', 'opencode', '--no-env-file', '--config=/dev/null', '/change.mjs'],
  ];
}

const changeMilliseconds = 60_000;

/**
 * Changes opencode's database as an agent could.
 * @param script JavaScript; `db` is the database, `schema` the usual one, `insert(table, row)` adds a row, `id` makes ids
 */
export function changeDatabase(folders: Folders, script: string): void {
  const { status, signal, stderr } = spawnSync(apptainer(), changeCommand(folders, script), {
    env: plainEnvironment(),
    encoding: 'utf8',
    timeout: changeMilliseconds,
  });
  requireChange(status, signal, stderr);
}

/** The same, while this process goes on. */
export async function changeDatabaseMeanwhile(folders: Folders, script: string): Promise<void> {
  const { exitCode, signal, stderr } = await runProcess({
    file: apptainer(),
    args: changeCommand(folders, script),
    env: plainEnvironment(),
    cwd: '/',
    timeoutMilliseconds: changeMilliseconds,
    maximumOutputBytes: 10_000,
  });
  requireChange(exitCode, signal, stderr);
}

/** The only clean end is the kill at its own hands. */
function requireChange(status: number | null, signal: NodeJS.Signals | null, stderr: string): void {
  if (!/137|9/.test(`${status} ${signal}`) || stderr.includes('error:')) {
    throw new Error(`the database was not changed: ${status} ${stderr}`);
  }
}

/** The sandbox that reads a home, as `launch/sessionSandbox.ts` asks for it. */
export function sessionSandbox(folders: TestFolders, changes: Partial<SessionSandbox> = {}): SessionSandbox {
  return {
    apptainer: apptainer(),
    image: identified(image()),
    home: identified(homeOf(folders)),
    mayWrite: false,
    insideEnvironment: {},
    runDirectoryParents: ['/tmp'],
    ...changes,
  };
}

/** A reader of a home, and what it has logged. */
export function readerOf(
  folders: TestFolders,
  options: { script?: string; silenceMilliseconds?: number; image?: string } = {},
): { reader: SessionReader; log: string[]; changes: () => number } {
  const log: string[] = [];
  let changes = 0;
  const reader = new SessionReader({
    start: (onLine) =>
      ScriptProcess.start(
        {
          nodePath: process.execPath,
          keeper: join(bundles, 'scriptKeeper.js'),
          environment: process.env,
          onLog: (line) => log.push(line),
          sandbox: sessionSandbox(
            folders,
            options.image === undefined ? {} : { image: identified(options.image) },
          ),
          script: options.script ?? 'sessionReader.mjs',
        },
        onLine,
      ),
    onChange: () => (changes += 1),
    onLog: (line) => log.push(line),
    ...(options.silenceMilliseconds === undefined
      ? {}
      : { silenceMilliseconds: options.silenceMilliseconds }),
  });
  return { reader, log, changes: () => changes };
}

/** For {@link changeDatabase}: one session whose last answer is not finished. */
export const oneSession = `
db.exec(schema);
insert('session', { id: id('ses', 1), directory: '/work', title: 'Plot the muons', version: '1.18.33', cost: 0.25,
  tokens_input: 100, tokens_output: 20, tokens_reasoning: 3, tokens_cache_read: 0, agent: 'build',
  model: JSON.stringify({ id: 'big', providerID: 'site' }), time_created: 1000, time_updated: 2000 });
insert('message', { id: id('msg', 1), session_id: id('ses', 1), time_created: 1000, time_updated: 1000, data: JSON.stringify({
  role: 'user', summary: { diffs: [{ file: 'plot.py', additions: 4, deletions: 1 }] } }) });
insert('message', { id: id('msg', 2), session_id: id('ses', 1), time_created: 1500, time_updated: 1500, data: JSON.stringify({
  role: 'assistant', providerID: 'site', modelID: 'big', time: { created: 1500 } }) });
insert('part', { id: id('prt', 1), message_id: id('msg', 1), session_id: id('ses', 1), time_created: 1000, time_updated: 1000,
  data: JSON.stringify({ type: 'text', text: 'plot it' }) });
`;
