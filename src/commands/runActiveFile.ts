import { extname } from 'node:path';
import * as vscode from 'vscode';
import { settingKeys, settingName } from '../contributions';
import { readFolderState } from '../host/folderState';
import { readHead } from '../host/safeFiles';
import { fileProgram } from '../sandbox/fileProgram';
import { compareFolderStates, type FileChange } from '../sandbox/folderChanges';
import { message, type Message } from '../sandbox/message';
import { isSameOrInside } from '../sandbox/paths';
import { UserError } from '../sandbox/userError';
import type { SandboxEnd } from '../supervisor/protocol';
import { endText } from '../ui/terminal/endText';
import { translate } from '../ui/translate';
import { firstObstacle } from '../ui/setup/obstacles';
import { diskFolders, realPathOf, windowFacts } from '../ui/window';
import type { Services } from './services';

/** What VS Code shows as a picture, or hands to somebody who does. */
const pictures = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp', '.svg', '.pdf']);
/** So long a first line may be (BINPRM_BUF_SIZE of Linux 5.1 and later). */
const firstLineBytes = 256;

/**
 * Runs a file of the workspace in the image for analyses, in a sandbox without network, and offers to open the pictures
 * that it has written.
 * @param target the file on whose menu it was invoked; without one, that of the editor
 */
export async function runActiveFile(services: Services, target: unknown): Promise<void> {
  const obstacle = firstObstacle(windowFacts());
  if (obstacle) {
    throw obstacle;
  }
  const uri = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') {
    throw new UserError('file.none', message('No file on a disk is open. Open the one that shall be run.'));
  }
  await save(uri);
  const path = await realPathOf(uri.fsPath);
  const folder = await folderOf(path);
  const program = fileProgram(path, await readHead(path, firstLineBytes));
  const workspace = await realPathOf(folder.uri.fsPath);
  const before = await readFolderState(workspace);
  const end = await services.taskRunner.runProgram(folder, program);
  const changes = compareFolderStates(before, await readFolderState(workspace));
  await tellOutcome(services, end, workspace, changes);
}

/** What runs is what is on the disk. */
async function save(uri: vscode.Uri): Promise<void> {
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
  if (document?.isDirty === true) {
    await document.save();
  }
}

async function folderOf(path: string): Promise<vscode.WorkspaceFolder> {
  for (const folder of diskFolders()) {
    if (isSameOrInside(await realPathOf(folder.uri.fsPath), path)) {
      return folder;
    }
  }
  throw new UserError(
    'file.outside',
    message('{0} is in none of the folders of this window, and a sandbox sees nothing else.', path),
    { kind: 'openFolder' },
  );
}

async function tellOutcome(
  { say }: Services,
  end: SandboxEnd | undefined,
  workspace: string,
  changes: readonly FileChange[],
): Promise<void> {
  const written = changes.filter(
    ({ path, change }) => change !== 'gone' && pictures.has(extname(path).toLowerCase()),
  );
  const [first] = written;
  if (!first) {
    void say.information(outcomeText(end), end?.exitCode === 127 ? setImage : undefined);
    return;
  }
  const text = message('{0} Pictures that it has written: {1}.', translate(outcomeText(end)), written.length);
  if (await say.offer(text, vscode.l10n.t('Open Picture'))) {
    const root = vscode.Uri.file(workspace);
    for (const { path } of written.slice(0, mostPictures)) {
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.joinPath(root, path));
    }
  }
}

/** Tabs that are opened at once. */
const mostPictures = 5;
const setImage = { kind: 'openSetting', setting: settingName(settingKeys.analysisImage) } as const;

function outcomeText(end: SandboxEnd | undefined): Message {
  if (end === undefined) {
    return message('The connection to the program was lost.');
  }
  if (end.reason === 'exited' && end.exitCode === 0) {
    return message('The program has ended.');
  }
  // what a shell says of a program that is not there (POSIX 2.8.2)
  return end.reason === 'exited' && end.exitCode === 127
    ? message(
        'The program has ended with exit code 127: most often the image has nothing that runs such a file. Another image can be named in the setting {0}.',
        setImage.setting,
      )
    : endText(end, translate);
}
