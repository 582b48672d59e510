import * as vscode from 'vscode';
import { commandLine } from '../sandbox/commandLine';
import { toolEnvironment } from '../sandbox/hostEnvironment';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { sandboxOf } from '../ui/sandboxes/sandboxesView';
import { chooseFolder, diskFolders, realPathOf } from '../ui/window';
import type { ListedSandbox } from '../ui/sandboxes/sandboxRows';
import type { Services } from './services';

/** Puts a command line on the clipboard that runs the same sandbox by hand, without the extension. */
export async function copyCommandLine({ launcher, say }: Services, row: unknown): Promise<void> {
  const listed = sandboxOf(row);
  const folder = listed ? await folderOf(listed) : await chooseFolder();
  const specification = await launcher.specify(listed?.kind ?? 'agent', folder);
  const text = commandLine(
    { ...specification, network: listed?.network ?? specification.network },
    { ...toolEnvironment(specification.apptainer, process.env), TERM: 'xterm-256color' },
    process.arch,
  );
  await vscode.env.clipboard.writeText(text);
  void say.information(
    message(
      'The command line is on the clipboard. Paste it into a terminal; nobody verifies what it starts.',
    ),
  );
}

async function folderOf({ workspace }: ListedSandbox): Promise<vscode.WorkspaceFolder> {
  for (const folder of diskFolders()) {
    if ((await realPathOf(folder.uri.fsPath)) === workspace) {
      return folder;
    }
  }
  throw new UserError(
    'window.otherFolder',
    message(
      'The settings of this sandbox are those of its folder. Open {0} to copy its command line.',
      workspace,
    ),
    { kind: 'openFolder' },
  );
}
