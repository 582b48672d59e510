// What an environment may hold that would open a sandbox, or run somebody's code beside it, if it were passed on.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Tells the tests in the extension host where the poison's files are. */
export const poisonFolderVariable = 'SANDBOXED_AGENT_TEST_POISON';

/** In every value and file of the poison, so that wherever it gets it can be found. */
export const canary = 'canary-7d1f';

/** Where the poison's files are, below its folder. */
const places = (folder: string) => ({
  secret: join(folder, canary, 'secret.txt'),
  programs: join(folder, 'programs'),
  helper: join(folder, 'programs', 'squashfuse_ll'),
  script: join(folder, 'programs', `${canary}.js`),
  library: join(folder, `${canary}.so`),
  /** one line for each program that was run by a poison */
  record: join(folder, 'record.txt'),
});

/** The poison itself. `folder` must have been filled. */
export function poisonVariables(folder: string): Readonly<Record<string, string>> {
  const { script, library, helper, programs } = places(folder);
  const secrets = join(folder, canary);
  const bind = (target: string) => `${secrets}:/${canary}-${target}`;
  const mount = (target: string) => `type=bind,source=${secrets},destination=/${canary}-${target}`;
  return {
    APPTAINER_BIND: bind('1'),
    APPTAINER_BINDPATH: bind('2'),
    APPTAINER_MOUNT: mount('3'),
    SINGULARITY_BIND: bind('4'),
    SINGULARITY_BINDPATH: bind('5'),
    SINGULARITY_MOUNT: mount('6'),
    APPTAINER_HOME: secrets,
    APPTAINER_FAKEROOT: '1',
    APPTAINER_ADD_CAPS: 'CAP_SYS_ADMIN',
    APPTAINER_OVERLAY: secrets,
    APPTAINER_FUSESPEC: `host:${helper} /${canary}-7`,
    [`APPTAINERENV_${canary.replace('-', '_')}`]: canary,
    [`SINGULARITYENV_${canary.replace('-', '_')}`]: canary,
    http_proxy: `http://user:${canary}@127.0.0.1:9`,
    LD_PRELOAD: library,
    NODE_OPTIONS: `--require=${script}`,
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
  };
}

/** Makes the poison's files and returns the variables for an extension host. */
export function poisonedEnvironment(): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'poison-'));
  const { secret, programs, helper, script, library, record } = places(folder);
  mkdirSync(join(folder, canary));
  writeFileSync(secret, canary);
  mkdirSync(programs);
  writeFileSync(record, '');
  writeFileSync(helper, `#!/bin/sh\necho "squashfuse_ll $*" >> '${record}'\nexit 1\n`);
  chmodSync(helper, 0o755);
  writeFileSync(
    script,
    `require('node:fs').appendFileSync(${JSON.stringify(record)}, process.execArgv.concat(process.argv).join(' ') + '\\n');\n`,
  );
  copyFileSync(anyLibrary(), library);
  return { ...poisonVariables(folder), [poisonFolderVariable]: folder };
}

/** Whom the poison has run so far: programs with their arguments. */
export function programsRunByPoison(folder: string): string[] {
  return readFileSync(places(folder).record, 'utf8').split('\n').filter(Boolean);
}

/** Puts poison for the runtime of our own script inside the sandbox into a workspace. */
export function poisonWorkspace(workspace: string): void {
  writeFileSync(join(workspace, '.env'), `CANARY=${canary}\n`);
  writeFileSync(join(workspace, 'bunfig.toml'), `preload = ["./${canary}.mjs"]\n`);
  writeFileSync(
    join(workspace, `${canary}.mjs`),
    `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(join(workspace, workspaceRecord))}, process.argv.join(' ') + '\\n');
`,
  );
}

/** Into which programs inside the sandbox the workspace's poison got, with their arguments. */
export function programsPoisonedByWorkspace(workspace: string): string[] {
  const path = join(workspace, workspaceRecord);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

const workspaceRecord = `${canary}.record`;

/** A shared library that does nothing when it is loaded once more. */
function anyLibrary(): string {
  const path = /\s(\/\S*\/libm\.so\S*|\/\S*\/libdl\.so\S*)$/m.exec(
    readFileSync('/proc/self/maps', 'utf8'),
  )?.[1];
  if (path === undefined) {
    throw new Error('this Node.js uses no library that could be copied');
  }
  return path;
}
