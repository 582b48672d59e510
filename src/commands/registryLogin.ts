import * as vscode from 'vscode';
import { loginToRegistry, registryOf } from '../apptainer/registryLogin';
import { settingsSection } from '../contributions';
import { message } from '../sandbox/message';
import { Cancelled } from '../sandbox/userError';
import { withSiteProxy } from '../ui/network/siteProxySetting';
import { programObstacle } from '../ui/setup/obstacles';
import { withProgress } from '../ui/progress';
import { readSettings } from '../ui/settings';
import { windowFacts } from '../ui/window';
import type { Services } from './services';

/** Asks for a name and a password, and logs Apptainer in to a registry of images. */
export async function registryLogin({ images, say }: Services): Promise<void> {
  const obstacle = programObstacle(windowFacts());
  if (obstacle) {
    throw obstacle;
  }
  const { imageSource } = readSettings(vscode.workspace.getConfiguration(settingsSection));
  const host = await ask(
    vscode.l10n.t('The registry, such as ghcr.io'),
    registryOf(imageSource) ?? 'docker.io',
  );
  const user = await ask(vscode.l10n.t('Your name there'), '');
  const prompt = vscode.l10n.t('Your password or token. Apptainer keeps it in a file in your home folder.');
  const password = await ask(prompt, '', true);
  await withProgress(vscode.l10n.t('Logging in to the registry'), async (signal) => {
    const { path: apptainer, version } = await images.findApptainer(signal);
    const environment = withSiteProxy(process.env);
    await loginToRegistry({ apptainer, version, host, user, password, environment, signal });
  });
  void say.information(message('You are logged in to {0}. Pull the image again.', host));
}

async function ask(prompt: string, value: string, isPassword = false): Promise<string> {
  const options = {
    title: vscode.l10n.t('Log In to Registry'),
    prompt,
    value,
    password: isPassword,
    ignoreFocusOut: true,
  };
  const text = (await vscode.window.showInputBox(options))?.trim();
  if (!text || text.startsWith('-')) {
    throw new Cancelled('nothing was given');
  }
  return text;
}
