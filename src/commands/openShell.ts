import { chooseFolder } from '../ui/window';
import type { Services } from './services';

/** Starts a shell in a sandbox like the agent's, or shows the one that runs there. */
export async function openShell({ launcher }: Services): Promise<void> {
  await launcher.start('shell', await chooseFolder());
}
