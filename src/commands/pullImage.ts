import * as vscode from 'vscode';
import { commandIds } from '../contributions';
import { message } from '../sandbox/message';
import { programObstacle } from '../ui/setup/obstacles';
import { windowFacts } from '../ui/window';
import type { Services } from './services';

/** Fetches the image of the settings, tries it out and chooses it. */
export async function pullImage({ images, pulledImage, say }: Services): Promise<void> {
  const obstacle = programObstacle(windowFacts());
  if (obstacle) {
    throw obstacle;
  }
  const record = await pulledImage.pull();
  if (record && (await images.missingTools(record.path)).includes('git')) {
    await offerCompletion(say);
    return;
  }
  void say.information(
    record?.opencodeVersion === undefined
      ? message('The image is ready. Start Sandboxed Agent uses it from now on.')
      : message(
          'The image is ready, with opencode {0}. Start Sandboxed Agent uses it from now on.',
          record.opencodeVersion,
        ),
  );
}

/** The official image is thin (seen with opencode 1.18): no git, bash or python3. */
async function offerCompletion(say: Services['say']): Promise<void> {
  const text = message(
    'The image is ready, but it is thin. Without git opencode’s own undo does nothing, and its sessions can get out of its list. Complete Image adds git, bash, python3 and more (recommended).',
  );
  if (await say.offer(text, vscode.l10n.t('Complete Image'))) {
    await vscode.commands.executeCommand(commandIds.completeImage);
  }
}
