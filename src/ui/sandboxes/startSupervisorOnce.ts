import { join } from 'node:path';
import type * as vscode from 'vscode';
import { makeCompiledCodeFolder } from '../../host/compiledCode';
import { startOnce } from '../../launch/startOnce';
import {
  spawnSupervisor,
  startSupervisor,
  type StartedSupervisor,
  type SupervisorProgram,
  type WaitingSupervisor,
} from '../../launch/startSupervisor';
import type { SupervisorInput } from '../../supervisor/input';
import { ptyModules } from '../setup/installation';
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
export function supervisorStarter(context: vscode.ExtensionContext, log: Log): StartSupervisor {
  return (input, environment, inherited = []) =>
    startSupervisor({ ...programOf(context, log), ...{ ...input, environment, inherited } });
}

/** Has the bundled supervisor loaded, before it is known what it is to keep. */
export function supervisorSpawner(
  context: vscode.ExtensionContext,
  log: Log,
): () => Promise<WaitingSupervisor> {
  const { version } = context.extension.packageJSON as { readonly version: string };
  return async () => {
    const compiledCode = await makeCompiledCodeFolder(context.globalStorageUri.fsPath, version);
    return spawnSupervisor({ ...programOf(context, log), compiledCode, environment: process.env });
  };
}

function programOf(
  context: vscode.ExtensionContext,
  log: Log,
): Omit<SupervisorProgram, 'environment' | 'inherited'> {
  return {
    nodePath: process.execPath,
    script: context.asAbsolutePath(join('dist', 'supervisor.js')),
    ptyModules: ptyModules(context),
    onLog: (line) => log.info(line),
  };
}

/** Has a waiting supervisor keep a sandbox, unless another window starts the same at this moment. @returns its socket */
export function startSupervisorOnce(
  input: SupervisorInput,
  supervisor: Pick<WaitingSupervisor, 'start'>,
): Promise<string> {
  return startOnce(input.specification, async () => (await supervisor.start(input)).socket);
}
