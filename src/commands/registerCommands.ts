import * as vscode from 'vscode';
import { commandIds, type CommandId } from '../contributions';
import { attach } from './attach';
import { copyCommandLine } from './copyCommandLine';
import { openShell } from './openShell';
import { pullImage } from './pullImage';
import { registerCommand } from './registerCommand';
import { runTask } from './runTask';
import { selectImage } from './selectImage';
import type { Services } from './services';
import { showIsolationReport } from './showIsolationReport';
import { showLog } from './showLog';
import { startSandboxedAgent } from './startSandboxedAgent';
import { stop } from './stop';

type Command = (services: Services, row: unknown) => void | Promise<void>;

const commands: Readonly<Record<Exclude<CommandId, typeof commandIds.collectDiagnostics>, Command>> = {
  [commandIds.start]: startSandboxedAgent,
  [commandIds.openShell]: openShell,
  [commandIds.runTask]: runTask,
  [commandIds.attach]: attach,
  [commandIds.stop]: stop,
  [commandIds.pullImage]: pullImage,
  [commandIds.selectImage]: selectImage,
  [commandIds.showIsolationReport]: showIsolationReport,
  [commandIds.copyCommandLine]: copyCommandLine,
  [commandIds.showLog]: showLog,
};

/** Registers every command but the one that must work without the others. */
export function registerCommands(services: Services): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([id, run]) =>
      registerCommand(id as CommandId, services.say, (row) => run(services, row)),
    ),
  );
}
