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

const help = `Try Sandboxed Agent from this clone.

  npm run try -- [FOLDER]                     opens VS Code on FOLDER, with the extension loaded
                                              (default: a copy of example/ in .cache/example)
  npm run try -- --headless FOLDER "task"     runs one task in the sandbox, without a window, and prints
                                              what was verified, the agent's text and the changed files

  --network MODE        what the sandbox of a task can reach: “restricted” (the default) and “none”, its model
                        alone; “open”, whatever this computer reaches
  --timeout SECONDS     ends a task after so long (default: 600)
  --yes                 do not ask before what needs root (only root is asked)

What is missing is fetched into .cache/ in this clone, without root: Apptainer (on Debian and its like), an image
with opencode, and a VS Code server where there is no desktop VS Code. Delete .cache/ to be rid of all of it.
SANDBOXED_AGENT_APPTAINER=/path/of/apptainer names an Apptainer that is in none of the usual places.

A task's exit code: that of the agent; 124 the time was up; 130 stopped; 3 the sandbox could not be verified.
`;

async function main(signal: AbortSignal): Promise<number> {
  const options = await readArguments();
  if (options === undefined) {
    return 2;
  }
  if (options.help) {
    console.log(help);
    return 0;
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
