import * as vscode from 'vscode';
import type { CommandId } from '../contributions';
import type { Say } from '../ui/say';

/**
 * Registers a command. If it fails, the user is told, and whoever called it sees no error.
 * @param run gets what a menu of a view hands over; whoever runs a command can hand over anything
 */
export function registerCommand(
  id: CommandId,
  say: Say,
  run: (row: unknown, selected?: unknown) => void | Promise<void>,
): vscode.Disposable {
  return vscode.commands.registerCommand(id, async (row: unknown, selected: unknown) => {
    try {
      await run(row, selected);
    } catch (error) {
      // the command is over, whether or not somebody reads the message
      void say.error(error);
    }
  });
}
