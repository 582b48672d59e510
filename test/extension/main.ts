// `node main.js RUN [--grep PATTERN]`: the tests of one folder below this one, inside a VS Code of their own.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runInVscode, type VscodeRun } from '../host/runInVscode';
import { makeWorkspace } from '../support/agentWorkspace';
import { apptainer, image } from '../support/environment';
import { projectFile } from '../support/projectFile';
import { poisonedEnvironment } from './poisoned/poison';

/** What is special about each run. */
const runs: Readonly<Record<string, () => Partial<VscodeRun>>> = {
  workspace: () => ({ folder: makeWorkspace() }),
  poisoned: () => ({ folder: makeWorkspace(), environment: poisonedEnvironment() }),
  emptyWindow: () => ({}),
  // what a user does first works there too
  oldest: () => ({
    folder: makeWorkspace(),
    release: 'oldest',
    files: [...testFiles('oldest'), ...testFiles('workspace')],
  }),
};

/** The tests in a folder below this one. */
function testFiles(name: string): string[] {
  const folder = join(__dirname, name);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => join(folder, file));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { grep: { type: 'string', short: 'g' } },
    allowPositionals: true,
  });
  const name = positionals[0] ?? '';
  const run = runs[name];
  if (run === undefined) {
    throw new Error(`no run is called "${name}"; there are: ${Object.keys(runs).join(', ')}`);
  }
  await runInVscode({
    files: testFiles(name),
    extensionDevelopmentPath: projectFile('.'),
    settings: { 'sandboxedAgent.apptainerPath': apptainer(), 'sandboxedAgent.image': image() },
    ...(values.grep === undefined ? {} : { pattern: values.grep }),
    ...run(),
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
