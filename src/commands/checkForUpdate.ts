import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { updateOutlook } from '../apptainer/imageUpdate';
import { registryDigest } from '../apptainer/sourceDigest';
import { commandIds, settingsSection } from '../contributions';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { withSiteProxy } from '../ui/network/siteProxySetting';
import { programObstacle } from '../ui/setup/obstacles';
import { withProgress } from '../ui/progress';
import { readSettings } from '../ui/settings';
import { answerText, outlookText } from '../ui/images/updateText';
import { windowFacts } from '../ui/window';
import type { Services } from './services';

/** Asks the registry of the image of sandboxes whether there is a newer one. Nothing asks it but this command. */
export async function checkForUpdate({ images, pulledImage, say }: Services): Promise<void> {
  const obstacle = programObstacle(windowFacts());
  if (obstacle) {
    throw obstacle;
  }
  const { image, imageSource } = readSettings(vscode.workspace.getConfiguration(settingsSection));
  const chosen = await pulledImage.orChosen(image);
  if (chosen === '') {
    throw new UserError('image.notConfigured', message('There is no image yet that could be newer.'), {
      kind: 'runCommand',
      command: commandIds.pullImage,
    });
  }
  const path = await realpath(chosen).catch(() => chosen);
  const outlook = updateOutlook(await images.records.read(path));
  if (outlook.kind !== 'askable') {
    const { text, action } = outlookText(outlook, path, imageSource);
    void say.information(text, action);
    return;
  }
  const { source, digest } = outlook;
  const now = await withProgress(vscode.l10n.t('Asking the registry'), async (signal) => {
    const { path: apptainer, version } = await images.findApptainer(signal);
    const environment = withSiteProxy(process.env);
    return registryDigest({ apptainer, version, source, environment, signal });
  });
  const { text, action } = answerText(source, digest, now, imageSource);
  void say.information(text, action);
}
