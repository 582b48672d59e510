import { chooseFolder } from '../ui/window';
import type { Services } from './services';

/** Starts the agent in a folder of this window, or shows the one that runs there. */
export async function startSandboxedAgent({ launcher }: Services): Promise<void> {
  await launcher.start('agent', await chooseFolder());
}
