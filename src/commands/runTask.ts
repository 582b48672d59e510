import * as vscode from 'vscode';
import { message } from '../sandbox/message';
import { Cancelled } from '../sandbox/userError';
import { chooseFolder } from '../ui/window';
import type { Services } from './services';

/**
 * Asks for a task and lets the agent do it in a sandbox of its own. What came of it is told by
 * `ui/sandboxes/runSummary.ts`.
 */
export async function runTask({ taskRunner, say }: Services): Promise<void> {
  const folder = await chooseFolder();
  const prompt = await vscode.window.showInputBox({
    title: vscode.l10n.t('Run Task'),
    prompt: vscode.l10n.t('What the agent shall do. It works in a fresh sandbox and can’t ask you anything.'),
    ignoreFocusOut: true,
  });
  if (prompt === undefined || prompt.trim() === '') {
    throw new Cancelled('no task was given');
  }
  if (!(await taskRunner.run(folder, prompt))) {
    void say.information(message('The connection to the task was lost.'));
  }
}
