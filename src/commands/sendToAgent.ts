import { relative } from 'node:path';
import * as vscode from 'vscode';
import { commandIds } from '../contributions';
import { message } from '../sandbox/message';
import { isSameOrInside } from '../sandbox/paths';
import { UserError } from '../sandbox/userError';
import { pasteOf, type PromptReference } from '../ui/terminal/agentPrompt';
import { pickSandbox } from '../ui/sandboxes/pickSandbox';
import { realPathOf } from '../ui/window';
import type { Services } from './services';

/** VS Code hands over the file of the menu, and all that are selected in the explorer. */
const mostFiles = 50;

/**
 * Puts files, or the selected lines of the editor, into the prompt of the running agent, without submitting it.
 * @param target the file on whose menu it was invoked; without one, that of the editor
 * @param selected all selected files
 */
export async function sendToAgent(services: Services, target: unknown, selected?: unknown): Promise<void> {
  const { registry, views } = services;
  const agents = registry.running().filter(({ summary }) => summary.kind === 'agent');
  if (agents.length === 0) {
    throw new UserError('prompt.noAgent', message('No agent is running in the folders of this window.'), {
      kind: 'runCommand',
      command: commandIds.start,
    });
  }
  const files = await filesOf(target, selected);
  const fitting = agents.filter(({ summary }) =>
    files.every(({ path }) => isSameOrInside(summary.workspace, path)),
  );
  if (fitting.length === 0) {
    throw new UserError(
      'prompt.elsewhere',
      message('The agent sees only its own folder, and {0} is not in it.', files[0]?.path ?? ''),
    );
  }
  const agent = await pickSandbox(fitting, vscode.l10n.t('The agent to send it to'));
  const references = files.map(({ path, lines }) => ({
    path: relative(agent.summary.workspace, path),
    ...(lines ? { lines } : {}),
  }));
  await views.type(agent, pasteOf(references));
}

/** The files with their real paths, because the agent sees those. */
async function filesOf(target: unknown, selected: unknown): Promise<PromptReference[]> {
  const uris = Array.isArray(selected) && selected.length > 0 ? selected : [target];
  const chosen = uris.filter((uri) => uri instanceof vscode.Uri).filter(({ scheme }) => scheme === 'file');
  const editor = vscode.window.activeTextEditor;
  const [only] = chosen;
  const isEditors =
    editor !== undefined &&
    (only === undefined || (chosen.length === 1 && only.toString() === editor.document.uri.toString()));
  if (isEditors && editor.document.uri.scheme === 'file') {
    const path = await realPathOf(editor.document.uri.fsPath);
    const { selection } = editor;
    // a selection that ends before the first character of a line does not include it
    const last =
      selection.end.character === 0 && !selection.isSingleLine ? selection.end.line : selection.end.line + 1;
    return [selection.isEmpty ? { path } : { path, lines: { first: selection.start.line + 1, last } }];
  }
  if (chosen.length === 0) {
    throw new UserError(
      'prompt.noFile',
      message('Open a file of the agent’s folder, or select one in the explorer.'),
    );
  }
  return Promise.all(
    chosen.slice(0, mostFiles).map(async ({ fsPath }) => ({ path: await realPathOf(fsPath) })),
  );
}
