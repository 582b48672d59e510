import * as vscode from 'vscode';
import { completeDefinition } from '../apptainer/definitions';
import { commandIds, settingsSection } from '../contributions';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { programObstacle } from '../ui/setup/obstacles';
import { readSettings } from '../ui/settings';
import { windowFacts } from '../ui/window';
import type { Services } from './services';

/** Puts git, bash, python3, ripgrep, less and ps on top of the image of sandboxes, in an image of its own. */
export async function completeImage({ imageBuilder, images, pulledImage, say }: Services): Promise<void> {
  const obstacle = programObstacle(windowFacts());
  if (obstacle) {
    throw obstacle;
  }
  const { image } = readSettings(vscode.workspace.getConfiguration(settingsSection));
  const base = await pulledImage.orChosen(image);
  if (base === '') {
    throw new UserError('image.notConfigured', message('There is no image yet that could be completed.'), {
      kind: 'runCommand',
      command: commandIds.pullImage,
    });
  }
  const path = await images.checkPlace(base);
  if ((await images.missingTools(path)).length === 0) {
    void say.information(
      message('Nothing is missing: the image has git, bash, python3, ripgrep, less and ps.'),
    );
    return;
  }
  await imageBuilder.build({ definition: completeDefinition(path), name: 'complete', source: path });
  void say.information(message('The image is complete. Sandboxes use it from now on.'));
}
