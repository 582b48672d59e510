import { uptime } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { type Beginning, isIdleAndBegan } from '../../host/untouchedShell';

/** On a busy computer VS Code knows a shell seconds after it was opened, and the shell runs its start files until then. */
const patienceMilliseconds = 15_000;
const pollMilliseconds = 250;

/** VS Code opens the shell while it starts the extension host: either may be first. */
const earlierSeconds = 5;
/** And it may do so only after the sandbox's terminal is there (seen after 0.7 s on a busy computer). */
const laterSeconds = 3;

/**
 * Closes the shell of the host that VS Code opens with a window whose terminal panel was visible, when it finds no
 * terminal to revive: it stands where the sandbox's terminal stood before the reload, and a prompt meant for the agent
 * would be typed into the host. Only one that nobody has used is closed: it began when this window did, nothing was
 * typed into it, and it runs nothing. A terminal that VS Code has revived is older.
 */
export async function closeStandInShells(): Promise<void> {
  const now = uptime();
  const beginning = { from: now - process.uptime() - earlierSeconds, to: now + laterSeconds };
  const deadline = now + patienceMilliseconds / 1000;
  let seen: vscode.Terminal | undefined;
  while (uptime() < deadline) {
    const found = await findStandIn(beginning);
    // one that VS Code is still making survives its end (seen on a busy computer, where it has no name yet)
    if (found !== undefined && found === seen) {
      found.dispose();
      return;
    }
    seen = found;
    await delay(pollMilliseconds, undefined, { ref: false });
  }
}

async function findStandIn(beginning: Beginning): Promise<vscode.Terminal | undefined> {
  for (const terminal of vscode.window.terminals) {
    if (await isStandIn(terminal, beginning)) return terminal;
  }
  return undefined;
}

async function isStandIn(terminal: vscode.Terminal, beginning: Beginning): Promise<boolean> {
  const { creationOptions, state, name } = terminal;
  // another extension's, or one that somebody gave a name
  if ('pty' in creationOptions || creationOptions.name !== undefined || state.isInteractedWith) return false;
  const pid = await Promise.race([terminal.processId, delay(pollMilliseconds, undefined, { ref: false })]);
  const isReady = pid !== undefined && name !== '';
  return isReady && !terminal.state.isInteractedWith && isIdleAndBegan(pid, beginning);
}
