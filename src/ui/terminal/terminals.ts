import { basename } from 'node:path';
import * as vscode from 'vscode';
import { kindName } from '../../sandbox/explain';
import type { SandboxKind } from '../../sandbox/specification';
import { plainText } from '../plainText';
import { SandboxTerminal, type TerminalSubject } from './sandboxTerminal';
import { translate } from '../translate';

/** The terminals of this window that show sandboxes. */
export class SandboxTerminals implements vscode.Disposable {
  /** a terminal that VS Code opens for a profile is known to us before VS Code's own object for it is */
  private readonly handles = new Map<SandboxTerminal, vscode.Terminal | undefined>();
  private readonly closing = new vscode.EventEmitter<{ terminal: SandboxTerminal; byUser: boolean }>();
  /** A terminal is gone. `byUser` is false when the window closes or reloads, or when the program ended. */
  readonly onDidClose = this.closing.event;
  private readonly subscriptions = [
    vscode.window.onDidOpenTerminal((handle) => this.opened(handle)),
    vscode.window.onDidCloseTerminal((handle) => this.closed(handle)),
  ];

  /** Opens a terminal. `preserveFocus` leaves the keyboard where it is. */
  open(subject: TerminalSubject, preserveFocus: boolean): SandboxTerminal {
    const pty = new SandboxTerminal(subject);
    const handle = vscode.window.createTerminal(optionsFor(pty));
    this.handles.set(pty, handle);
    handle.show(preserveFocus);
    return pty;
  }

  /** A terminal that VS Code opens by itself once it has the profile. */
  openByProfile(subject: TerminalSubject): { terminal: SandboxTerminal; profile: vscode.TerminalProfile } {
    const terminal = new SandboxTerminal(subject);
    this.handles.set(terminal, undefined);
    return { terminal, profile: new vscode.TerminalProfile(optionsFor(terminal)) };
  }

  /** The terminal that shows this sandbox or is waiting for it to start. */
  find(wanted: (terminal: SandboxTerminal) => boolean): SandboxTerminal | undefined {
    return [...this.handles.keys()].find((terminal) => !terminal.isOver && wanted(terminal));
  }

  /** Brings a terminal to the front, and the keyboard into it. */
  show(wanted: SandboxTerminal): void {
    this.handles.get(wanted)?.show();
  }

  /** Removes a terminal. Its sandbox, if it has one, lives on. */
  remove(unwanted: SandboxTerminal): void {
    this.handles.get(unwanted)?.dispose();
  }

  /** Removes terminals whose sandbox of this kind and folder is over and which still show how it ended. */
  removeFinished(kind: SandboxKind, workspace: string): void {
    for (const [{ isOver, subject }, handle] of this.handles) {
      if (isOver && subject.kind === kind && subject.workspace === workspace) {
        handle?.dispose();
      }
    }
  }

  dispose(): void {
    // they hold connections: a sandbox must not seem attended that nobody can see any more
    [...this.handles.keys()].forEach((terminal) => terminal.close());
    vscode.Disposable.from(...this.subscriptions, this.closing).dispose();
  }

  private opened(handle: vscode.Terminal): void {
    const pty = ptyOf(handle);
    if (pty && this.handles.has(pty)) {
      this.handles.set(pty, handle);
    }
  }

  private closed(handle: vscode.Terminal): void {
    const terminal = ptyOf(handle);
    if (!terminal || !this.handles.delete(terminal)) {
      return;
    }
    // the reason is User, too, when the program of a terminal in the editor area ends by itself
    const byUser = handle.exitStatus?.reason === vscode.TerminalExitReason.User;
    this.closing.fire({ terminal, byUser });
  }
}

function ptyOf({ creationOptions }: vscode.Terminal): SandboxTerminal | undefined {
  return 'pty' in creationOptions && creationOptions.pty instanceof SandboxTerminal
    ? creationOptions.pty
    : undefined;
}

function optionsFor(pty: SandboxTerminal): vscode.ExtensionTerminalOptions {
  return {
    name: nameOf(pty.subject),
    pty,
    iconPath: new vscode.ThemeIcon(icons[pty.subject.kind]),
    // VS Code would otherwise revive the tab after a restart, without the sandbox behind it
    isTransient: true,
  };
}

const icons: Readonly<Record<SandboxKind, string>> = {
  agent: 'shield',
  shell: 'terminal',
  task: 'checklist',
  run: 'play',
  probes: 'beaker',
};

/** First what tells one terminal from another: the list of terminals cuts a name after some eight letters. */
function nameOf({ kind, workspace }: TerminalSubject): string {
  const name = translate(kindName(kind));
  const hasSeveralFolders = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return hasSeveralFolders
    ? vscode.l10n.t('{0} in {1} (sandboxed)', name, plainText(basename(workspace)))
    : vscode.l10n.t('{0} (sandboxed)', name);
}
