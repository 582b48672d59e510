import * as vscode from 'vscode';
import { commandIds, settingKeys, settingsSection } from '../contributions';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { unpackedApptainerMegabytes } from '../setup/apptainerUnpacked';
import { getOwnApptainer } from '../setup/ownApptainer';
import { programObstacle } from '../ui/setup/obstacles';
import { withProgress } from '../ui/progress';
import { windowFacts } from '../ui/window';
import type { Services } from './services';

/** Gets Apptainer from Debian into the extension's storage, for a user without root, and chooses it. */
export async function unpackApptainer({
  setupCheck,
  storageDirectory,
  busyFolders,
  say,
}: Services): Promise<void> {
  const obstacle = programObstacle(windowFacts());
  if (obstacle) {
    throw obstacle;
  }
  // a sandbox whose Apptainer is changed is ended
  const [busy] = await busyFolders();
  if (busy !== undefined) {
    throw new UserError(
      'setup.sandboxRuns',
      message('A sandbox runs in {0}, which may be using an earlier one. Stop it, and try again.', busy),
      { kind: 'runCommand', command: commandIds.stop },
    );
  }
  const question = message('Get Apptainer from Debian, without root?');
  const detail = message(
    '{0} MB are fetched from the mirror of Debian that this computer uses, and unpacked into {1}. Debian’s signatures are checked; no package is installed, and nothing runs as root.',
    unpackedApptainerMegabytes,
    storageDirectory,
  );
  const yes = vscode.l10n.t('Get Apptainer');
  if ((await say.choose(question, detail, [yes])) !== yes) {
    return;
  }
  const title = vscode.l10n.t('Getting Apptainer from Debian');
  const program = await withProgress(title, (signal) => getOwnApptainer(storageDirectory, signal));
  const configuration = vscode.workspace.getConfiguration(settingsSection);
  await configuration.update(settingKeys.apptainerPath, program, vscode.ConfigurationTarget.Global);
  await setupCheck.show();
}
