import * as vscode from 'vscode';
import { commandIds, type CommandId } from '../contributions';
import { attach } from './attach';
import { openShell } from './openShell';
import { pullImage } from './pullImage';
import { selectImage } from './selectImage';
import type { Services } from './services';
import { showIsolationReport } from './showIsolationReport';
import { showLog } from './showLog';
import { startSandboxedAgent } from './startSandboxedAgent';
import { stop } from './stop';

const commands: Readonly<Record<CommandId, (services: Services) => void | Promise<void>>> = {
  [commandIds.start]: startSandboxedAgent,
  [commandIds.openShell]: openShell,
  [commandIds.attach]: attach,
  [commandIds.stop]: stop,
  [commandIds.pullImage]: pullImage,
  [commandIds.selectImage]: selectImage,
  [commandIds.showIsolationReport]: showIsolationReport,
  [commandIds.showLog]: showLog,
};

/** Registers every command. One that fails tells the user, and whoever called it sees no error. */
export function registerCommands(services: Services): vscode.Disposable {
  const registrations = Object.entries(commands).map(([id, run]) =>
    vscode.commands.registerCommand(id, async () => {
      try {
        await run(services);
      } catch (error) {
        // the command is over, whether or not somebody reads the message
        void services.say.error(error);
      }
    }),
  );
  return vscode.Disposable.from(...registrations);
}
