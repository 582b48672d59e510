import { inspect } from 'node:util';
import * as vscode from 'vscode';
import { commandIds, type CommandId } from '../contributions';
import { message, type Message } from '../sandbox/message';
import { Cancelled, UserError, type RemedyAction } from '../sandbox/userError';
import { commandLabels } from './commandLabels';
import type { Log } from './log';
import { translate } from './translate';

/** What is told of an error that was not written for people. */
const unexpected: Pick<UserError, 'description' | 'action'> = {
  description: message('Something went wrong that should not have. The log says what.'),
  action: { kind: 'showLog' },
};

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
    const { description, action } = error instanceof UserError ? error : unexpected;
    await this.show(vscode.window.showErrorMessage, description, action);
  }

  /** Tells of something that went as it should, or that is good to know. */
  async information(text: Message, action?: RemedyAction): Promise<void> {
    await this.show(vscode.window.showInformationMessage, text, action);
  }

  /** Tells of something and offers one thing to do next. @param label of the button @returns whether it was chosen */
  async offer(text: Message, label: string): Promise<boolean> {
    return (await vscode.window.showInformationMessage(translate(text), label)) === label;
  }

  /** Warns of something and offers what to do next. @returns the label that was chosen */
  async warn(text: Message, labels: readonly string[]): Promise<string | undefined> {
    return vscode.window.showWarningMessage(translate(text), ...labels);
  }

  /** Asks for a yes before something that can do harm. @param label of the yes @returns whether it was given */
  async confirm(text: Message, label: string): Promise<boolean> {
    const options = { modal: true };
    return (await vscode.window.showWarningMessage(translate(text), options, label)) === label;
  }

  /** Asks which of several things to do. @param detail one paragraph, or several @returns the label; undefined: none of them */
  async choose(
    text: Message,
    detail: Message | readonly Message[],
    labels: readonly string[],
  ): Promise<string | undefined> {
    const lines = 'text' in detail ? [detail] : detail;
    const options = { modal: true, detail: lines.map(translate).join('\n') };
    return vscode.window.showWarningMessage(translate(text), options, ...labels);
  }

  private async show(
    showMessage: (text: string, ...buttons: string[]) => Thenable<string | undefined>,
    text: Message,
    action?: RemedyAction,
  ): Promise<void> {
    const button = action && buttonOf(action);
    const shown = translate(text);
    const label = button?.label ?? (shown.length > longestLine ? vscode.l10n.t('OK') : undefined);
    const chosen = await showMessage(shown, ...(label === undefined ? [] : [label]));
    if (button && chosen !== undefined) {
      await vscode.commands.executeCommand(button.command, ...(button.values ?? []));
    }
  }
}

/** VS Code shows only one line of a notification that has no button, of about so many characters (1.139). */
const longestLine = 55;

/** What a button says, and the command that it runs. */
export interface Button {
  readonly label: string;
  readonly command: string;
  readonly values?: readonly unknown[];
}

/** The button that does what helps. */
export function buttonOf(action: RemedyAction): Button {
  switch (action.kind) {
    case 'openSetting':
      return {
        label: vscode.l10n.t('Open Setting'),
        // settings of a machine are on a page of their own where VS Code works on another one
        command: `workbench.action.${vscode.env.remoteName === undefined ? 'openSettings' : 'openRemoteSettings'}`,
        values: [{ query: `@id:${action.setting}` }],
      };
    case 'manageTrust':
      return { label: vscode.l10n.t('Manage Workspace Trust'), command: 'workbench.trust.manage' };
    case 'openFolder':
      return { label: vscode.l10n.t('Open Folder'), command: 'workbench.action.files.openFolder' };
    case 'revealFile':
      return {
        label: vscode.l10n.t('Show in Explorer'),
        command: 'revealInExplorer',
        values: [vscode.Uri.file(action.path)],
      };
    case 'showLog':
      return commandButton(commandIds.showLog);
    case 'runCommand':
      return commandButton(action.command as CommandId);
  }
}

function commandButton(command: CommandId): Button {
  return { label: commandLabels[command], command };
}
