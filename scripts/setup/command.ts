import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { ProcessError, type ProcessOutcome, runProcess } from '../../src/host/runProcess';
import { message } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';
import { repositoryFolder } from './paths';

export interface CommandOptions {
  /** default: this clone */
  readonly cwd?: string;
  /** the whole environment; default: this process's own */
  readonly environment?: NodeJS.ProcessEnv;
}

/** Enough for any list that is read from a program here. */
const maximumOutputBytes = 1024 * 1024;
/** How much of a failed command's output is shown. */
const shownLines = 15;

/**
 * Runs a program to its end and returns its standard output; standard input is empty. Ctrl+C ends it.
 * @param file absolute, or a name that is looked up on PATH
 * @throws UserError with the last lines that it printed, Cancelled after Ctrl+C
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const outcome = await runProcess({
      file: findProgram(file),
      args,
      env: definedOnly(options.environment ?? process.env),
      cwd: options.cwd ?? repositoryFolder,
      signal: interruption.signal,
      maximumOutputBytes,
    });
    if (outcome.exitCode !== 0) {
      throw failure(file, args, outcome);
    }
    return outcome.stdout;
  } catch (error) {
    if (error instanceof ProcessError) {
      throw new UserError('setup.commandFailed', message('{0}', error.message), undefined, { cause: error });
    }
    throw error;
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

function failure(file: string, args: readonly string[], outcome: ProcessOutcome): UserError {
  const lines = `${outcome.stdout}\n${outcome.stderr}`.trim().split('\n');
  return new UserError(
    'setup.commandFailed',
    message(
      '{0} failed ({1}):\n{2}',
      [file, ...args].join(' '),
      outcome.signal ?? `exit code ${outcome.exitCode}`,
      lines.slice(-shownLines).join('\n'),
    ),
  );
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  const defined = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(defined);
}
