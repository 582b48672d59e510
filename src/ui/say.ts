import { inspect } from 'node:util';
import * as vscode from 'vscode';
import { commandIds, type CommandId } from '../contributions';
import { message, type Message } from '../sandbox/message';
import { Cancelled, UserError, type RemedyAction } from '../sandbox/userError';
import type { Log } from './log';
import { translate } from './translate';

/**
 * The only module that shows notifications. VS Code renders links in them that can run commands, so what they say is
 * our own text, its values made plain, and nothing that came out of a sandbox.
 */
export class Say {
  constructor(private readonly log: Log) {}

  /**
   * Tells of an error, with at most one button that does what helps. What the user cancelled is silent, and an error
   * that was not written for people is shown as such; the whole of it is in the log.
   */
  async error(error: unknown): Promise<void> {
    if (error instanceof Cancelled) {
      return;
    }
    // with its causes
    this.log.error(inspect(error));
    if (error instanceof UserError) {
      await this.show(vscode.window.showErrorMessage, error.description, error.action);
    } else {
      await this.show(
        vscode.window.showErrorMessage,
        message('Something went wrong that should not have. The log says what.'),
        { kind: 'showLog' },
      );
    }
  }

  /** Tells of something that went as it should, or that is good to know. */
  async information(text: Message, action?: RemedyAction): Promise<void> {
    await this.show(vscode.window.showInformationMessage, text, action);
  }

  /** Tells of something and offers one thing to do next. @param label of the button @returns whether it was chosen */
  async offer(text: Message, label: string): Promise<boolean> {
    return (await vscode.window.showInformationMessage(translate(text), label)) === label;
  }

  private async show(
    showMessage: (text: string, ...buttons: string[]) => Thenable<string | undefined>,
    text: Message,
    action?: RemedyAction,
  ): Promise<void> {
    if (!action) {
      await showMessage(translate(text));
      return;
    }
    const chosen = await showMessage(translate(text), labelOf(action));
    if (chosen !== undefined) {
      await carryOut(action);
    }
  }
}

function labelOf(action: RemedyAction): string {
  switch (action.kind) {
    case 'openSetting':
      return vscode.l10n.t('Open Setting');
    case 'manageTrust':
      return vscode.l10n.t('Manage Workspace Trust');
    case 'openFolder':
      return vscode.l10n.t('Open Folder');
    case 'revealFile':
      return vscode.l10n.t('Show in Explorer');
    case 'showLog':
      return vscode.l10n.t('Show Log');
    case 'runCommand':
      return commandLabel(action.command);
  }
}

function commandLabel(command: string): string {
  switch (command as CommandId) {
    case commandIds.start:
      return vscode.l10n.t('Start Sandboxed Agent');
    case commandIds.openShell:
      return vscode.l10n.t('Open Shell');
    case commandIds.attach:
      return vscode.l10n.t('Attach');
    case commandIds.stop:
      return vscode.l10n.t('Stop');
    case commandIds.pullImage:
      return vscode.l10n.t('Pull Image');
    case commandIds.selectImage:
      return vscode.l10n.t('Select Image…');
    case commandIds.showIsolationReport:
      return vscode.l10n.t('Show Isolation Report');
    case commandIds.showLog:
      return vscode.l10n.t('Show Log');
    case commandIds.runTask:
      return vscode.l10n.t('Run Task…');
    case commandIds.copyCommandLine:
      return vscode.l10n.t('Copy Command Line');
    case commandIds.collectDiagnostics:
      return vscode.l10n.t('Collect Diagnostics…');
  }
}

async function carryOut(action: RemedyAction): Promise<void> {
  switch (action.kind) {
    case 'openSetting':
      // settings of a machine are on a page of their own where VS Code works on another one
      await vscode.commands.executeCommand(
        vscode.env.remoteName === undefined
          ? 'workbench.action.openSettings'
          : 'workbench.action.openRemoteSettings',
        { query: `@id:${action.setting}` },
      );
      break;
    case 'manageTrust':
      await vscode.commands.executeCommand('workbench.trust.manage');
      break;
    case 'openFolder':
      await vscode.commands.executeCommand('workbench.action.files.openFolder');
      break;
    case 'revealFile':
      await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(action.path));
      break;
    case 'showLog':
      await vscode.commands.executeCommand(commandIds.showLog);
      break;
    case 'runCommand':
      await vscode.commands.executeCommand(action.command);
      break;
  }
}
