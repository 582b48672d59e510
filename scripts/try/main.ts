// `npm run try`: gets what is missing and opens VS Code with the extension, or runs one task without a window.
import { Cancelled, UserError } from '../../src/sandbox/userError';
import type { TryArguments } from '../run/tryArguments.mjs' with { 'resolution-mode': 'import' };
import { ensureApptainer } from '../setup/apptainer';
import { runCommand } from '../setup/command';
import { ensureImage } from '../setup/image';
import { say, step } from '../setup/progress';
import { ensureExampleFolder } from './exampleFolder';
import { runHeadless } from './headless';
import { runWindow } from './window';
import { resolveWorkspace } from './workspace';

async function main(signal: AbortSignal): Promise<number> {
  const options = await readArguments();
  if (options === undefined) {
    return 2;
  }
  const folder = await resolveWorkspace(options.folder ?? (await ensureExampleFolder()));
  await step('Building the extension', () => runCommand(process.execPath, ['scripts/build.mjs']));
  const apptainer = await ensureApptainer([folder]);
  const image = await ensureImage(apptainer, signal);
  return options.task === undefined
    ? runWindow({ folder, isExample: options.folder === undefined, apptainer, image, signal })
    : runHeadless({ ...options, folder, task: options.task, apptainer, image, signal, print: console.log });
}

async function readArguments(): Promise<TryArguments | undefined> {
  const { parseTryArguments } = await import('../run/tryArguments.mjs');
  try {
    return parseTryArguments(process.argv.slice(2));
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Cancelled) {
    say('Stopped.');
    return 130;
  }
  if (error instanceof UserError) {
    say(error.message);
    return 2;
  }
  throw error;
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stop.abort());
}
void main(stop.signal)
  .catch(exitCodeOf)
  .then((code) => {
    process.exitCode = code;
  });
