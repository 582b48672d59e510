import { join } from 'node:path';
import * as vscode from 'vscode';
import type { SandboxedAgentApi } from './api';
import { registerCommands } from './commands/registerCommands';
import { endByForce } from './host/forcedEnd';
import { connectSandbox } from './launch/connect';
import { LiveSandboxes } from './launch/liveSandboxes';
import { prepareSandbox, type PreparedSandbox, type PrepareRequest } from './launch/prepare';
import { SandboxRegistry, type KnownSandbox } from './launch/sandboxRegistry';
import { startSupervisor } from './launch/startSupervisor';
import { formatMessage, type Message } from './sandbox/message';
import type { SandboxSpecification } from './sandbox/specification';
import { surroundingsOf } from './ui/installation';
import { IsolationReport } from './ui/isolationReport';
import { announceContext } from './ui/imageContext';
import { firstObstacle } from './ui/obstacles';
import { PulledImage } from './ui/pulledImage';
import { RunningContext } from './ui/runningContext';
import { SandboxLauncher } from './ui/sandboxLauncher';
import { Say } from './ui/say';
import { StatusBar } from './ui/statusBar';
import type { ShownSandbox } from './ui/statusText';
import { SandboxTerminals } from './ui/terminals';
import { realFolders, windowFacts } from './ui/window';
import { WindowSandboxes } from './ui/windowSandboxes';

/** Makes the parts of the extension and connects them with each other. */
export class Container implements vscode.Disposable {
  private readonly log = vscode.window.createOutputChannel('Sandboxed Agent', { log: true });
  private readonly terminals = new SandboxTerminals();
  private readonly runningContext = new RunningContext();
  private readonly report = new IsolationReport(() => this.shown());
  /** by the id of the sandbox that was prepared in this window */
  private readonly notes = new Map<string, readonly Message[]>();
  private readonly statusBar: StatusBar;
  private readonly registry: SandboxRegistry;
  private readonly launcher: SandboxLauncher;
  private readonly windowSandboxes: WindowSandboxes;
  private readonly subscriptions: readonly vscode.Disposable[];

  /** Registers everything and returns: nothing slow is done here. */
  constructor(private readonly context: vscode.ExtensionContext) {
    const { log, terminals, report } = this;
    const storageDirectory = context.globalStorageUri.fsPath;
    const say = new Say(log);
    const live = new LiveSandboxes(storageDirectory);
    const pulledImage = new PulledImage(storageDirectory, process.env, log);
    const registry = new SandboxRegistry({
      findLive: () => live.find(),
      connect: connectSandbox,
      endByForce,
      folders: realFolders,
      log: (line) => log.info(line),
    });
    const launcher = new SandboxLauncher({
      surroundings: surroundingsOf(context),
      pulledImage,
      registry,
      terminals,
      prepare: (request) => this.prepare(request),
      startSupervisor: (specification) => this.startSupervisor(specification),
      connect: connectSandbox,
      onStarting: () => this.statusBar.update(),
    });
    this.registry = registry;
    this.launcher = launcher;
    this.windowSandboxes = new WindowSandboxes({
      live,
      registry,
      terminals,
      launcher,
      say,
      log: (line) => log.warn(line),
    });
    this.statusBar = this.makeStatusBar();
    this.subscriptions = [
      registerCommands({ log, say, registry, launcher, pulledImage, report }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.statusBar.update()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.statusBar.update()),
      vscode.workspace.onDidChangeConfiguration(() => void announceContext(pulledImage)),
    ];
    registry.onChange(() => this.refresh());
    void announceContext(pulledImage);
  }

  /** What other extensions may see. */
  readonly api: SandboxedAgentApi = {
    statusText: () => this.statusBar.text,
    sandboxes: () => this.registry.running().map(({ summary }) => summary),
  };

  /** The slow part of the start: shows the sandboxes again that run already. */
  async restore(): Promise<void> {
    if (process.platform === 'linux') {
      await this.windowSandboxes.restore();
    }
  }

  /** Lets go of all sandboxes. None is ended. */
  dispose(): void {
    vscode.Disposable.from(
      ...this.subscriptions,
      this.windowSandboxes,
      this.statusBar,
      this.report,
      this.terminals,
    ).dispose();
    this.registry.dispose();
    this.log.dispose();
  }

  /** The sandboxes of this window with what is to be said of each. */
  private shown(): (ShownSandbox & KnownSandbox)[] {
    return this.registry.list().map((sandbox) => ({ ...sandbox, notes: this.notes.get(sandbox.summary.id) }));
  }

  private async prepare(request: PrepareRequest): Promise<PreparedSandbox> {
    const prepared = await prepareSandbox(request);
    const { specification, notes } = prepared;
    this.notes.set(specification.id, notes);
    notes.forEach((note) => this.log.info(`[${specification.id}] ${formatMessage(note)}`));
    return prepared;
  }

  private makeStatusBar(): StatusBar {
    return new StatusBar(() => ({
      sandboxes: this.shown().filter(({ isReported }) => isReported !== true),
      starting: this.launcher.starting,
      obstacle: firstObstacle(windowFacts())?.description,
      now: Date.now(),
    }));
  }

  private refresh(): void {
    this.statusBar.update();
    this.runningContext.update(this.registry.running().length > 0);
  }

  private async startSupervisor(specification: SandboxSpecification): Promise<string> {
    const { socket } = await startSupervisor({
      nodePath: process.execPath,
      script: this.context.asAbsolutePath(join('dist', 'supervisor.js')),
      specification,
      environment: process.env,
      onLog: (line) => this.log.info(line),
    });
    return socket;
  }
}
