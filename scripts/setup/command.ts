import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { message } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';
import type { Command } from '../../src/setup/distribution';
import { runToolUntil, type ToolOptions } from '../../src/setup/runTool';
import { commandText } from '../../src/ui/setup/setupContent';
import { repositoryFolder } from './paths';

/**
 * Runs a program to its end and returns its standard output; standard input is empty. Ctrl+C ends it.
 * @param file absolute, or a name that is looked up on PATH
 * @param options the working directory is this clone when none is given
 * @throws UserError with the last lines that it printed, Cancelled after Ctrl+C
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: ToolOptions = {},
): Promise<string> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const run = runToolUntil(interruption.signal);
    return await run(findProgram(file), args, { cwd: repositoryFolder, ...options });
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/**
 * The absolute path of a program.
 * @throws UserError when it is not on PATH
 */
export function findProgram(name: string): string {
  const found = isAbsolute(name) ? name : findOnPath(name);
  if (found === undefined) {
    throw new UserError(
      'setup.programMissing',
      message('The program {0} is not on PATH. Please install it.', name),
    );
  }
  return found;
}

/** Looks a program up on PATH; undefined when it is not there. */
export function findOnPath(name: string): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  return candidates.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Commands for a person, each on a line of its own. */
export function commandList(commands: readonly Command[]): string {
  return commands.map((command) => `\n  ${commandText(command)}`).join('');
}
