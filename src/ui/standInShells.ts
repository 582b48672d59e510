import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { isIdleAndNewerThan } from '../host/untouchedShell';

/** A shell that was just opened is known to VS Code a moment later. */
const patienceMilliseconds = 2000;

/**
 * Closes the shell of the host that VS Code opens with a window whose terminal panel was visible, when it finds no
 * terminal to revive: it stands where the sandbox's terminal stood before the reload, and a prompt meant for the agent
 * would be typed into the host. Only one that nobody has used is closed: it began after this window did, nothing was
 * typed into it, and it runs nothing. A terminal that VS Code has revived is older than the window.
 */
export async function closeStandInShells(): Promise<void> {
  for (const terminal of vscode.window.terminals) {
    if (await isStandIn(terminal)) terminal.dispose();
  }
}

async function isStandIn(terminal: vscode.Terminal): Promise<boolean> {
  const { creationOptions, state } = terminal;
  // another extension's, or one that somebody gave a name
  if ('pty' in creationOptions || creationOptions.name !== undefined || state.isInteractedWith) return false;
  const pid = await Promise.race([
    terminal.processId,
    delay(patienceMilliseconds, undefined, { ref: false }),
  ]);
  return pid !== undefined && !terminal.state.isInteractedWith && isIdleAndNewerThan(pid, process.pid);
}
