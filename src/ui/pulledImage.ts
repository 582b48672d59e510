import { access } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { findApptainer } from '../apptainer/find';
import { pullImage } from '../apptainer/pull';
import { settingKeys, settingsSection } from '../contributions';
import type { Environment } from '../sandbox/hostEnvironment';
import type { Log } from './log';
import { readSettings } from './settings';
import { translate } from './translate';
import { realFolders } from './window';

/** The image that this extension pulls and keeps in its storage. */
export class PulledImage {
  private readonly path: string;
  private pulling: Promise<void> | undefined;

  constructor(
    storageDirectory: string,
    private readonly environment: Environment,
    private readonly log: Log,
  ) {
    this.path = join(storageDirectory, 'images', 'opencode.sif');
  }

  /** The image that was chosen; without one, the pulled image if there is one, else an empty text. */
  async orChosen(chosen: string): Promise<string> {
    if (chosen !== '') {
      return chosen;
    }
    return access(this.path).then(
      () => this.path,
      () => '',
    );
  }

  /**
   * Pulls the image of the settings and chooses it. Asked twice, it pulls once.
   * @throws UserError, Cancelled
   */
  async pull(): Promise<void> {
    this.pulling ??= this.pullWithProgress().finally(() => {
      this.pulling = undefined;
    });
    await this.pulling;
  }

  private async pullWithProgress(): Promise<void> {
    await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t('Pulling the image for sandboxes'),
        cancellable: true,
      },
      async (progress, token) => {
        const cancelling = new AbortController();
        const subscription = token.onCancellationRequested(() => cancelling.abort());
        try {
          await this.pullNow(cancelling.signal, (stage) => progress.report({ message: stage }));
        } finally {
          subscription.dispose();
        }
      },
    );
    const configuration = vscode.workspace.getConfiguration(settingsSection);
    await configuration.update(settingKeys.image, this.path, vscode.ConfigurationTarget.Global);
  }

  private async pullNow(signal: AbortSignal, report: (stage: string) => void): Promise<void> {
    const { environment } = this;
    const { apptainerPath, imageSource } = readSettings(vscode.workspace.getConfiguration(settingsSection));
    const apptainer = await findApptainer({
      configuredPath: apptainerPath,
      forbiddenFolders: [...(await realFolders())],
      environment,
      signal,
    });
    await pullImage({
      apptainer: apptainer.path,
      source: imageSource,
      target: this.path,
      environment,
      signal,
      onProgress: (stage) => report(translate(stage)),
      onLine: (line) => this.log.info(line),
    });
  }
}
