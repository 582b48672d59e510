import { join } from 'node:path';
import * as vscode from 'vscode';
import { commandIds, settingKeys, settingsSection } from '../contributions';
import type { DiagnosticsRequest } from '../launch/diagnostics';
import { message } from '../sandbox/message';
import { Cancelled } from '../sandbox/userError';
import { firstObstacle } from '../ui/setup/obstacles';
import type { Say } from '../ui/say';
import { diskFolders, realPathOf, windowFacts } from '../ui/window';
import { registerCommand } from './registerCommand';

/** What {@link registerCollectDiagnostics} can't know when it is called, because it comes first. */
export interface DiagnosticsState {
  /** why the extension did not start */
  activationError?: unknown;
  /** its last lines */
  readonly log: () => string;
  sandboxes: () => DiagnosticsRequest['sandboxes'];
}

/**
 * Registers *Collect Diagnostics*, which depends on nothing else of the extension: it is needed most when the rest
 * could not be started.
 */
export function registerCollectDiagnostics(
  context: vscode.ExtensionContext,
  say: Say,
  state: DiagnosticsState,
): vscode.Disposable {
  return registerCommand(commandIds.collectDiagnostics, say, async () => {
    const target = await vscode.window.showSaveDialog({
      title: vscode.l10n.t('Save diagnostics'),
      defaultUri: vscode.Uri.file(join(process.env['HOME'] ?? '/', 'sandboxed-agent-diagnostics.zip')),
      filters: { [vscode.l10n.t('Zip archive')]: ['zip'] },
    });
    if (!target) {
      throw new Cancelled('no place for the diagnostics was chosen');
    }
    // what makes archives prepares its tables when it is loaded, which no activation should wait for
    const { collectDiagnostics } = await import('../launch/diagnostics.js');
    await vscode.workspace.fs.writeFile(target, await collectDiagnostics(await requestOf(context, state)));
    void say.information(
      message(
        'The diagnostics were saved: versions, settings, facts of this computer, and the log without names and paths. Look through them before you attach them to an issue.',
      ),
    );
  });
}

async function requestOf(
  context: vscode.ExtensionContext,
  { activationError, log, sandboxes }: DiagnosticsState,
): Promise<DiagnosticsRequest> {
  const configuration = vscode.workspace.getConfiguration(settingsSection);
  const paths = diskFolders().map(({ uri }) => uri.fsPath);
  const folders = [...new Set([...paths, ...(await Promise.all(paths.map(realPathOf)))])];
  const { version } = context.extension.packageJSON as { readonly version: string };
  return {
    versions: { extension: version, editor: vscode.version, host: vscode.env.appHost },
    settings: Object.fromEntries(
      Object.values(settingKeys).map((key) => [key, configuration.get<unknown>(key)]),
    ),
    window: {
      folders: paths.length,
      isTrusted: vscode.workspace.isTrusted,
      isRemote: vscode.env.remoteName !== undefined,
      obstacle: firstObstacle(windowFacts())?.code,
      activationError:
        activationError instanceof Error ? activationError.name : activationError !== undefined,
    },
    folders,
    sandboxes: sandboxes(),
    log: log(),
    storageDirectory: context.globalStorageUri.fsPath,
    environment: process.env,
  };
}
