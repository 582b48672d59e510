import * as vscode from 'vscode';
import type { Command } from '../../setup/distribution';
import { commandText } from './setupContent';

/**
 * Says what will run, waits for Enter, then runs it: commands follow one another, each after the number of its words.
 * The program is bash, because a POSIX shell has no arrays; the words are arguments, never part of this text.
 */
const script = `printf '%s\\n' "$1"; read -r -p "$2" || exit; closing=$3; shift 3
while (($#)); do count=$1; shift; "\${@:1:count}" || break; shift "$count"; done
read -r -p "$closing"`;

/** Where administrators' programs are: the user's own PATH could lead into a project. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Opens a terminal that shows these commands and runs them after Enter was pressed in it. */
export function runInTerminal(commands: readonly Command[]): void {
  const terminal = vscode.window.createTerminal({
    name: vscode.l10n.t('Set Up Sandboxed Agent'),
    iconPath: new vscode.ThemeIcon('tools'),
    isTransient: true,
    cwd: '/',
    shellPath: '/bin/bash',
    shellArgs: terminalArguments(commands),
    env: { PATH: systemPath, BASH_ENV: null },
  });
  terminal.show();
}

function terminalArguments(commands: readonly Command[]): string[] {
  const shown = commands.map((command) => `  ${commandText(command)}`).join('\n');
  return [
    ...['--noprofile', '--norc', '-c', script, 'setup'],
    vscode.l10n.t('This will run:') + `\n\n${shown}\n`,
    vscode.l10n.t('Press Enter to run it, or Ctrl+C to leave it.') + ' ',
    vscode.l10n.t('Done. Press Enter to close, then choose Check Again.') + ' ',
    ...commands.flatMap((command) => [String(command.length), ...command]),
  ];
}
