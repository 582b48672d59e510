import { join } from 'node:path';
import type * as vscode from 'vscode';
import { startOnce } from '../../launch/startOnce';
import { startSupervisor, type StartedSupervisor } from '../../launch/startSupervisor';
import type { SupervisorInput } from '../../supervisor/input';
import type { Log } from '../log';

/**
 * Starts a supervisor.
 * @param environment as the user has it
 * @param inherited descriptors that it gets as if they had been forgotten, for a proof
 * @throws UserError
 */
export type StartSupervisor = (
  input: SupervisorInput,
  environment: NodeJS.ProcessEnv,
  inherited?: readonly number[],
) => Promise<StartedSupervisor>;

/** Starts the bundled supervisor with the editor's own Node.js. */
export function supervisorStarter(
  context: Pick<vscode.ExtensionContext, 'asAbsolutePath'>,
  log: Log,
): StartSupervisor {
  return (input, environment, inherited = []) =>
    startSupervisor({
      nodePath: process.execPath,
      script: context.asAbsolutePath(join('dist', 'supervisor.js')),
      ...{ ...input, environment, inherited },
      onLog: (line) => log.info(line),
    });
}

/** Starts the bundled supervisor, unless another window does the same at this moment. @returns its socket */
export function startSupervisorOnce(input: SupervisorInput, start: StartSupervisor): Promise<string> {
  return startOnce(input.specification, async () => (await start(input, process.env)).socket);
}
