import * as vscode from 'vscode';
import { contextKeys } from '../../contributions';

/** Tells `when` clauses whether a sandbox runs. */
export class RunningContext {
  private told: boolean | undefined;

  /** Tells it, if that is news. */
  update(isRunning: boolean): void {
    if (this.told !== isRunning) {
      this.told = isRunning;
      void vscode.commands.executeCommand('setContext', contextKeys.running, isRunning);
    }
  }
}
