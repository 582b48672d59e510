import { spawn } from 'node:child_process';
import { repositoryFolder } from '../setup/paths';

export interface NodeProgram {
  /** a script and its arguments */
  readonly argv: readonly string[];
  /** over the environment of this process */
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly timeoutMilliseconds: number;
}

/** How a program ends that has nothing to complain about. */
export const goodEnd = 'exit code 0';

/**
 * Runs a program of Node.js in the clone to its end. It prints where we print.
 *
 * @returns how it ended, for people; {@link goodEnd} when all is well
 */
export function runNodeProgram(program: NodeProgram): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, program.argv, {
      cwd: repositoryFolder,
      env: { ...process.env, ...program.environment },
      stdio: ['ignore', 'inherit', 'inherit'],
      signal: program.signal,
      timeout: program.timeoutMilliseconds,
      killSignal: 'SIGKILL',
    });
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('exit', (code, signal) => {
      resolve(signal === null ? `exit code ${code}` : `ended by ${signal}`);
    });
  });
}
