import * as vscode from 'vscode';
import type { SandboxConnection } from '../../launch/connection';
import type { Message } from '../../sandbox/message';
import type { SandboxKind } from '../../sandbox/specification';
import { TerminalSession } from './terminalSession';
import { translate } from '../translate';

/** What a terminal shows, known before its sandbox is. */
export interface TerminalSubject {
  readonly kind: SandboxKind;
  /** real path of the folder */
  readonly workspace: string;
  /** the first line that it shows */
  readonly greeting: Message;
}

/** A terminal of VS Code whose content comes from a sandbox. */
export class SandboxTerminal implements vscode.Pseudoterminal {
  private readonly writing = new vscode.EventEmitter<string>();
  private readonly closing = new vscode.EventEmitter<number | undefined>();
  readonly onDidWrite = this.writing.event;
  readonly onDidClose = this.closing.event;

  private readonly session: TerminalSession;
  /** VS Code ignores what is fired before `open`; undefined once it is open */
  private waiting: (() => void)[] | undefined = [];
  private readonly closedByUser = new AbortController();
  private id: string | undefined;

  constructor(readonly subject: TerminalSubject) {
    const surface = {
      write: (text: string) => this.whenOpen(() => this.writing.fire(text)),
      end: (exitCode: number | undefined) => this.whenOpen(() => this.closing.fire(exitCode)),
    };
    this.session = new TerminalSession(surface, translate, ['task', 'run'].includes(subject.kind));
  }

  /** The sandbox's id, once it has one. */
  get sandboxId(): string | undefined {
    return this.id;
  }

  /** Aborted when the user closes the terminal: there is no point in starting its sandbox any more. */
  get signal(): AbortSignal {
    return this.closedByUser.signal;
  }

  /** Whether there is nothing more to come. */
  get isOver(): boolean {
    return this.session.isOver;
  }

  /** Whether it had let go of its sandbox, and said why, before it was closed. */
  get isConcluded(): boolean {
    return this.session.isConcluded;
  }

  /** Becomes the view on a sandbox and owns the connection from now on. */
  connect(connection: SandboxConnection): void {
    this.id = connection.summary.id;
    this.session.connect(connection);
  }

  /** Types into the sandbox. */
  type(text: string): void {
    this.session.type(text);
  }

  /** Adds a line while there is no output yet. */
  say(text: Message): void {
    this.session.say(text);
  }

  /** There will be no sandbox: says why, and stays until Enter is pressed. */
  fail(reason: Message): void {
    this.session.fail(reason);
  }

  /** There is nothing to show: the terminal closes as soon as it is open. */
  closeAtOnce(): void {
    this.whenOpen(() => this.closing.fire(undefined));
  }

  /** The user closed the terminal. */
  abort(): void {
    this.closedByUser.abort();
  }

  open(dimensions: vscode.TerminalDimensions | undefined): void {
    const waiting = this.waiting ?? [];
    this.waiting = undefined;
    this.session.open(dimensions, this.subject.greeting);
    waiting.forEach((action) => action());
  }

  setDimensions(dimensions: vscode.TerminalDimensions): void {
    this.session.setDimensions(dimensions);
  }

  handleInput(data: string): void {
    this.session.handleInput(data);
  }

  close(): void {
    this.session.close();
    this.writing.dispose();
    this.closing.dispose();
  }

  private whenOpen(action: () => void): void {
    if (this.waiting) {
      this.waiting.push(action);
    } else {
      action();
    }
  }
}
