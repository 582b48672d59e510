import * as vscode from 'vscode';
import { settingKeys, settingsSection } from '../contributions';

/** Lets the user choose a SIF file as the image. Whether it will do is looked at when a sandbox starts. */
export async function selectImage(): Promise<void> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Select the image for sandboxes'),
      openLabel: vscode.l10n.t('Select Image'),
      filters: { [vscode.l10n.t('Apptainer image')]: ['sif'], [vscode.l10n.t('All files')]: ['*'] },
    })) ?? [];
  if (file?.scheme === 'file') {
    const configuration = vscode.workspace.getConfiguration(settingsSection);
    await configuration.update(settingKeys.image, file.fsPath, vscode.ConfigurationTarget.Global);
  }
}
