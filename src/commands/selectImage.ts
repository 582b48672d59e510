import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { imageState } from '../apptainer/imageIntegrity';
import { commandIds, settingsSection } from '../contributions';
import { Cancelled } from '../sandbox/userError';
import { imageRows } from '../ui/images/imageRows';
import { programObstacle } from '../ui/setup/obstacles';
import { readSettings } from '../ui/settings';
import { translate } from '../ui/translate';
import { windowFacts } from '../ui/window';
import type { Services } from './services';

/** What somebody picks from the list: an image, or another way to get one. */
type Choice = vscode.QuickPickItem & { readonly path?: string; readonly way?: 'browse' | 'pull' };

/** Lets the user choose among the images that are known, or another file. No folder is searched for images. */
export async function selectImage(services: Services): Promise<void> {
  const obstacle = programObstacle(windowFacts());
  if (obstacle) {
    throw obstacle;
  }
  const choice = await vscode.window.showQuickPick(await choices(services), {
    title: vscode.l10n.t('Select the image for sandboxes'),
    matchOnDetail: true,
  });
  if (choice?.way === 'pull') {
    await vscode.commands.executeCommand(commandIds.pullImage);
  } else if (choice) {
    await services.images.choose(choice.path ?? (await browse()));
  }
}

async function choices({ images, pulledImage }: Services): Promise<Choice[]> {
  const records = await images.records.list();
  const known = await Promise.all(
    records.map(async (record) => ({ record, state: await imageState(record) })),
  );
  const { image } = readSettings(vscode.workspace.getConfiguration(settingsSection));
  const chosen = await pulledImage.orChosen(image);
  const rows = imageRows(known, await realpath(chosen).catch(() => chosen), translate);
  return [
    ...rows,
    ...(rows.length > 0 ? [{ label: '', kind: vscode.QuickPickItemKind.Separator }] : []),
    { label: vscode.l10n.t('Browse for a File…'), way: 'browse' },
    { label: vscode.l10n.t('Pull Image'), way: 'pull' },
  ];
}

async function browse(): Promise<string> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Choose the file of an image'),
      openLabel: vscode.l10n.t('Select Image'),
      filters: { [vscode.l10n.t('Apptainer image')]: ['sif'], [vscode.l10n.t('All files')]: ['*'] },
    })) ?? [];
  if (file?.scheme !== 'file') {
    throw new Cancelled('no file was chosen');
  }
  return file.fsPath;
}
