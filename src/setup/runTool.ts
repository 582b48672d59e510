import { ProcessError, type ProcessOutcome, runProcess } from '../host/runProcess';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';

export interface ToolOptions {
  /** default: the root of the file system */
  readonly cwd?: string;
  /** the whole environment; default: this process's own */
  readonly environment?: NodeJS.ProcessEnv;
}

/** Runs a program by its absolute path to its end and returns its standard output. @throws UserError, Cancelled */
export type RunTool = (file: string, args: readonly string[], options?: ToolOptions) => Promise<string>;

/** Enough for any list that is read from a program here. */
const maximumOutputBytes = 1024 * 1024;
/** How much of a failed command's output is shown. */
const shownLines = 15;

/** A {@link RunTool} that `signal` ends. Standard input is empty; the error has the last lines that were printed. */
export function runToolUntil(signal: AbortSignal): RunTool {
  return async (file, args, { cwd = '/', environment = process.env } = {}) => {
    try {
      const request = { file, args, cwd, signal, maximumOutputBytes, env: definedOnly(environment) };
      const outcome = await runProcess(request);
      if (outcome.exitCode !== 0) throw failure(file, args, outcome);
      return outcome.stdout;
    } catch (error) {
      if (!(error instanceof ProcessError)) throw error;
      throw new UserError('setup.commandFailed', message('{0}', error.message), undefined, { cause: error });
    }
  };
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
