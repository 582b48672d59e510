import * as vscode from 'vscode';

/** Tells `when` clauses. @param key one of `contextKeys` */
export function setContext(key: string, value: boolean | string): Thenable<unknown> {
  return vscode.commands.executeCommand('setContext', key, value);
}
