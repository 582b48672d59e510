// Makes the fixtures in test/sandbox/oldHomes/: what opencode 1.1 and 1.2 themselves leave in a home after one task
// with the scripted model. It downloads 100 MB for each, so it is run by hand and the results are kept:
// `npm run compile && node out/scripts/oldHomes.js && npx prettier --write test/sandbox/oldHomes`
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { agentEnvironment } from '../src/opencode/environment';
import { startDemoModel } from './demoModel/server';
import { runCommand } from './setup/command';

const target = resolve(__dirname, '../../test/sandbox/oldHomes');
/** what stands for the folder of the project in the fixtures */
const placeholder = '/work/project';

const scenario = {
  models: ['scripted'],
  title: 'A greeting',
  rules: [
    {
      match: '^greet (\\w+)$',
      steps: [
        { tools: [{ name: 'write', arguments: { filePath: '${cwd}/$1.txt', content: 'hello $1\n' } }] },
        { text: 'It is written.' },
      ],
    },
  ],
  otherwise: [{ text: 'I have nothing to do.' }],
};

/** Under opencode's own Bun: the schema and the rows of a database, as JSON. */
const dumpScript = `
import { Database } from 'bun:sqlite';
const db = new Database(process.argv[2], { readonly: true });
const schema = db.prepare("SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'").all();
const rows = Object.fromEntries(schema.filter(({ type }) => type === 'table').map(({ name }) => [name, db.prepare('SELECT * FROM "' + name + '"').all()]));
console.log(JSON.stringify({ schema: schema.map(({ sql }) => sql), rows }));
`;

async function makeHome(version: string, dump: (data: string, program: string) => object): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'old-home-')));
  const [workspace, home] = [join(root, 'project'), join(root, 'home')];
  const model = await startDemoModel({ scenario });
  try {
    for (const folder of [workspace, home]) mkdirSync(folder);
    await runCommand('npm', ['pack', '--loglevel=error', `opencode-linux-x64@${version}`], { cwd: root });
    await runCommand('tar', ['--extract', '--file', `opencode-linux-x64-${version}.tgz`], { cwd: root });
    const program = join(root, 'package/bin/opencode');
    const options = { baseURL: model.baseUrl, apiKey: 'none' };
    const provider = { npm: '@ai-sdk/openai-compatible', options, models: { scripted: {} } };
    writeFileSync(join(workspace, 'opencode.json'), JSON.stringify({ provider: { scripted: provider } }));
    await runCommand(program, ['run', '-m', 'scripted/scripted', 'greet Ada'], {
      cwd: workspace,
      environment: { ...agentEnvironment, HOME: home, PATH: '/usr/bin:/bin' },
    });
    const found = JSON.stringify(dump(join(home, '.local/share/opencode'), program));
    const name = `home-${version.split('.').slice(0, 2).join('.')}.json`;
    // some paths are relative to /
    writeFileSync(join(target, name), found.replaceAll(workspace.slice(1), placeholder.slice(1)));
  } finally {
    await model.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** The files of 1.1 by their path. */
function files(data: string): object {
  const storage = join(data, 'storage');
  const names = readdirSync(storage, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [
        join(parentPath, name).slice(data.length + 1),
        compact(readFileSync(join(parentPath, name), 'utf8')),
      ]),
  );
}

function compact(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

function tables(data: string, program: string): object {
  const script = join(data, 'dump.mjs');
  writeFileSync(script, dumpScript);
  const { stdout } = spawnSync(program, [script, join(data, 'opencode.db')], {
    env: { BUN_BE_BUN: '1' },
    encoding: 'utf8',
  });
  return JSON.parse(stdout) as object;
}

async function main(): Promise<void> {
  mkdirSync(target, { recursive: true });
  await makeHome('1.1.65', files);
  await makeHome('1.2.27', tables);
}

void main();
