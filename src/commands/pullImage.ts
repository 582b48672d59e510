import { message } from '../sandbox/message';
import { programObstacle } from '../ui/obstacles';
import { windowFacts } from '../ui/window';
import type { Services } from './services';

/** Fetches the image of the settings and chooses it. */
export async function pullImage({ pulledImage, say }: Services): Promise<void> {
  const obstacle = programObstacle(windowFacts());
  if (obstacle) {
    throw obstacle;
  }
  await pulledImage.pull();
  void say.information(message('The image is ready. Start Sandboxed Agent uses it from now on.'));
}
