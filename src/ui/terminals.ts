import { basename } from 'node:path';
import * as vscode from 'vscode';
import { kindTitle } from '../sandbox/explain';
import type { SandboxKind } from '../sandbox/specification';
import { plainText } from './plainText';
import { SandboxTerminal, type TerminalSubject } from './sandboxTerminal';
import { translate } from './translate';

/** The terminals of this window that show sandboxes. */
export class SandboxTerminals implements vscode.Disposable {
  private readonly terminals = new Map<vscode.Terminal, SandboxTerminal>();
  private readonly closing = new vscode.EventEmitter<{ terminal: SandboxTerminal; byUser: boolean }>();
  /** A terminal is gone. `byUser` is false when the window closes or reloads, or when the program ended. */
  readonly onDidClose = this.closing.event;
  private readonly subscription = vscode.window.onDidCloseTerminal((terminal) => this.closed(terminal));

  /** Opens a terminal. `preserveFocus` leaves the keyboard where it is. */
  open(subject: TerminalSubject, preserveFocus: boolean): SandboxTerminal {
    const pty = new SandboxTerminal(subject);
    const terminal = vscode.window.createTerminal({
      name: nameOf(subject),
      pty,
      iconPath: new vscode.ThemeIcon(subject.kind === 'shell' ? 'terminal' : 'shield'),
      // VS Code would otherwise revive the tab after a restart, without the sandbox behind it
      isTransient: true,
    });
    this.terminals.set(terminal, pty);
    terminal.show(preserveFocus);
    return pty;
  }

  /** The terminal that shows this sandbox or is waiting for it to start. */
  find(wanted: (terminal: SandboxTerminal) => boolean): SandboxTerminal | undefined {
    return [...this.terminals.values()].find((terminal) => !terminal.isOver && wanted(terminal));
  }

  /** Brings a terminal to the front. */
  show(wanted: SandboxTerminal): void {
    this.handleOf(wanted)?.show();
  }

  /** Removes a terminal. Its sandbox, if it has one, lives on. */
  remove(unwanted: SandboxTerminal): void {
    this.handleOf(unwanted)?.dispose();
  }

  /** Removes terminals whose sandbox of this kind and folder is over and which still show how it ended. */
  removeFinished(kind: SandboxKind, workspace: string): void {
    for (const [handle, { isOver, subject }] of this.terminals) {
      if (isOver && subject.kind === kind && subject.workspace === workspace) {
        handle.dispose();
      }
    }
  }

  dispose(): void {
    this.subscription.dispose();
    // they hold connections: a sandbox must not seem attended that nobody can see any more
    this.terminals.forEach((terminal) => terminal.close());
    this.closing.dispose();
  }

  private handleOf(wanted: SandboxTerminal): vscode.Terminal | undefined {
    return [...this.terminals].find(([, terminal]) => terminal === wanted)?.[0];
  }

  private closed(handle: vscode.Terminal): void {
    const terminal = this.terminals.get(handle);
    if (!terminal) {
      return;
    }
    this.terminals.delete(handle);
    // the reason is User, too, when the program of a terminal in the editor area ends by itself
    const byUser = handle.exitStatus?.reason === vscode.TerminalExitReason.User;
    this.closing.fire({ terminal, byUser });
  }
}

function nameOf({ kind, workspace }: TerminalSubject): string {
  const name = translate(kindTitle(kind));
  const hasSeveralFolders = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return hasSeveralFolders ? `${name} (${plainText(basename(workspace))})` : name;
}
