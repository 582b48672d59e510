import * as vscode from 'vscode';
import { message, type Message } from '../sandbox/message';
import { Cancelled } from '../sandbox/userError';
import type { SandboxEnd } from '../supervisor/protocol';
import { endText } from '../ui/terminal/endText';
import { translate } from '../ui/translate';
import { chooseFolder } from '../ui/window';
import type { Services } from './services';

/** Asks for a task and lets the agent do it in a sandbox of its own. */
export async function runTask({ taskRunner, changedFiles, say }: Services): Promise<void> {
  const folder = await chooseFolder();
  const prompt = await vscode.window.showInputBox({
    title: vscode.l10n.t('Run Task'),
    prompt: vscode.l10n.t('What the agent shall do. It works in a fresh sandbox and can’t ask you anything.'),
    ignoreFocusOut: true,
  });
  if (prompt === undefined || prompt.trim() === '') {
    throw new Cancelled('no task was given');
  }
  const { end, changes } = await taskRunner.run(folder, prompt);
  if (await say.offer(outcomeText(end), vscode.l10n.t('Show Changed Files'))) {
    await changedFiles.show(changes);
  }
}

function outcomeText(end: SandboxEnd | undefined): Message {
  if (end === undefined) {
    return message('The connection to the task was lost.');
  }
  return end.reason === 'exited' && end.exitCode !== undefined
    ? message('The task has ended with exit code {0}.', end.exitCode)
    : endText(end, translate);
}
