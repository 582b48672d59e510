import { join } from 'node:path';
import type * as vscode from 'vscode';
import { startOnce } from '../launch/startOnce';
import { startSupervisor } from '../launch/startSupervisor';
import type { SupervisorInput } from '../supervisor/input';
import type { Log } from './log';

/** Starts the bundled supervisor, unless another window does the same at this moment. @returns its socket */
export function startSupervisorOnce(
  input: SupervisorInput,
  context: Pick<vscode.ExtensionContext, 'asAbsolutePath'>,
  log: Log,
): Promise<string> {
  return startOnce(input.specification, async () => {
    const { socket } = await startSupervisor({
      nodePath: process.execPath,
      script: context.asAbsolutePath(join('dist', 'supervisor.js')),
      ...input,
      environment: process.env,
      onLog: (line) => log.info(line),
    });
    return socket;
  });
}
