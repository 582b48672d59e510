import * as vscode from 'vscode';
import type { SandboxedAgentApi } from './api';
import { registerCommands } from './commands/registerCommands';
import { machineIdentity } from './host/machineIdentity';
import { abandonedText } from './launch/abandonedText';
import { connectSandbox } from './launch/connect';
import { hostSandboxesOf } from './launch/hostSandboxesOf';
import { LiveSandboxes } from './launch/liveSandboxes';
import type { PreparedSandbox } from './launch/prepare';
import type { SandboxRegistry } from './launch/sandboxRegistry';
import { formatMessage } from './sandbox/message';
import { runsOpencode } from './sandbox/specification';
import { tellEndsWhileAway } from './ui/sandboxes/endsWhileAway';
import { homeOpener } from './ui/sessions/homeOpener';
import { IsolationReport } from './ui/report/isolationReport';
import type { Log } from './ui/log';
import { WindowNetwork } from './ui/network/networkLogWindow';
import { RunningContext } from './ui/sandboxes/runningContext';
import { SandboxesView } from './ui/sandboxes/sandboxesView';
import { SessionsView } from './ui/sessions/sessionsView';
import type { Say } from './ui/say';
import { ShownSandboxes } from './ui/sandboxes/shownSandboxes';
import { scriptStarter } from './ui/sandboxes/startScript';
import { StatusBar } from './ui/status/statusBar';
import type { ShownSandbox } from './ui/status/indicator';
import { TaskRunner } from './ui/sandboxes/taskRunner';
import { registerTerminalProfiles } from './ui/terminal/terminalProfiles';
import { SandboxTerminals } from './ui/terminal/terminals';
import { Transcripts } from './ui/sessions/transcripts';
import { WalkthroughContext } from './ui/setup/walkthroughContext';
import { followWindow } from './ui/window';
import { WindowGuard } from './ui/findings/windowGuard';
import { WindowImages } from './ui/images/windowImages';
import { WindowLaunches } from './ui/sandboxes/windowLaunches';
import { WindowModels } from './ui/models/windowModels';
import { windowRegistry } from './ui/sandboxes/windowRegistry';
import { WindowReview } from './ui/review/windowReview';
import { WindowSandboxes } from './ui/sandboxes/windowSandboxes';
import { WindowSessions } from './ui/sessions/windowSessions';

/** Makes the parts of the extension and connects them with each other. */
export class Container implements vscode.Disposable {
  private readonly terminals = new SandboxTerminals();
  private readonly runningContext = new RunningContext();
  private readonly report = new IsolationReport(
    () => [...this.shown.list(), ...this.view.otherSandboxes()],
    () => this.launches.proof.describe(),
  );
  private readonly images: WindowImages;
  private readonly statusBar: StatusBar;
  private readonly registry: SandboxRegistry;
  private readonly shown: ShownSandboxes;
  private readonly launches: WindowLaunches;
  private readonly windowSandboxes: WindowSandboxes;
  private readonly view: SandboxesView;
  private readonly sessions: WindowSessions;
  private readonly sessionsView: SessionsView;
  private readonly transcripts: Transcripts;
  private readonly network: WindowNetwork;
  private readonly guard: WindowGuard;
  private readonly reviews: WindowReview;
  private readonly walkthrough: WalkthroughContext;
  private readonly subscriptions: readonly vscode.Disposable[];

  /** Registers everything and returns: nothing slow is done here. */
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: Log,
    private readonly say: Say,
  ) {
    const { terminals } = this;
    const storageDirectory = context.globalStorageUri.fsPath;
    const live = new LiveSandboxes(storageDirectory, (abandoned) => {
      void say.information(abandonedText(abandoned), { kind: 'showLog' });
    });
    this.images = new WindowImages({ context, log, say, live, onChange: () => this.statusBar.update() });
    const registry = windowRegistry(live, log, storageDirectory);
    const models = new WindowModels(context, machineIdentity(), () => this.walkthrough.look());
    const network = new WindowNetwork(context.globalState, machineIdentity(), registry, say);
    this.network = network;
    this.registry = registry;
    this.shown = new ShownSandboxes(registry, network.allowedHosts);
    this.launches = this.makeLaunches(models);
    this.walkthrough = this.makeWalkthrough(models);
    this.guard = this.makeGuard(storageDirectory);
    this.windowSandboxes = new WindowSandboxes({
      ...{ live, registry, terminals, say, views: this.launches.views },
      log: (line) => log.warn(line),
    });
    this.view = this.makeView(live);
    this.sessions = this.makeSessions(storageDirectory);
    this.sessionsView = new SessionsView({ sessions: this.sessions, say });
    this.transcripts = new Transcripts(this.sessions);
    this.reviews = new WindowReview(context, { registry, say, log, guard: this.guard, logs: network.logs });
    this.subscriptions = [...this.register(models), this.followWindow()];
    // nothing may say that all is ready when one of the above has failed
    this.statusBar = this.makeStatusBar();
    registry.onChange(() => this.refresh());
    this.images.announce();
  }

  private register(models: WindowModels): vscode.Disposable[] {
    const { log, say, registry, report, network, guard, reviews } = this;
    const { sessions, sessionsView, transcripts } = this;
    const { launcher, views, proof } = this.launches;
    const taskRunner = new TaskRunner(launcher, registry, connectSandbox);
    return [
      registerCommands({
        ...{ log, say, registry, launcher, views, report, taskRunner, network, models, proof },
        ...this.images.parts,
        ...{ sessions, sessionsView, transcripts, guard, reviews },
      }),
      registerTerminalProfiles(launcher, this.terminals, say),
    ];
  }

  /** The sandboxes of this window's folders, those too that were refused or broke. */
  sandboxes(): readonly ShownSandbox[] {
    return this.registry.list();
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
      await this.guard.restore().catch((error: unknown) => void this.say.error(error));
      // a list may have been changed while no window knew of a sandbox
      // (one that does not answer is on the list of sandboxes as such)
      await this.network.allowedHosts.apply().catch((error: unknown) => this.log.warn(String(error)));
      // a disk that does not answer must not hold up the rest
      this.images.sweep().catch((error: unknown) => this.log.warn(String(error)));
      await tellEndsWhileAway(this.context, this.say).catch((error: unknown) => this.log.warn(String(error)));
    }
    this.walkthrough.look();
    await this.images.parts.setupCheck.look();
  }

  /** Lets go of all sandboxes. None is ended. */
  dispose(): void {
    vscode.Disposable.from(
      ...this.subscriptions,
      this.windowSandboxes,
      this.view,
      this.transcripts,
      this.sessionsView,
      this.sessions,
      this.network,
      this.guard,
      this.statusBar,
      this.report,
      this.reviews,
      this.walkthrough,
      this.images,
      this.launches.proof,
      this.terminals,
    ).dispose();
    this.registry.dispose();
  }

  private makeLaunches(models: WindowModels): WindowLaunches {
    const { context, log, say, registry, terminals, network } = this;
    const { pulledImage } = this.images.parts;
    return new WindowLaunches({
      ...{ context, log, say, registry, terminals, pulledImage, models, network },
      onPrepared: (prepared) => this.note(prepared),
      noted: (specification) => this.guard.noted(specification),
      onChange: () => this.refresh(),
    });
  }

  private note({ specification, notes }: PreparedSandbox): void {
    this.shown.note(specification.id, notes);
    this.guard.note(specification);
    this.images.parts.images.recordLater(specification.image.path, runsOpencode(specification.kind));
    notes.forEach((note) => this.log.info(`[${specification.id}] ${formatMessage(note)}`));
  }

  private makeGuard(storageDirectory: string): WindowGuard {
    return new WindowGuard({
      ...{ storageDirectory, registry: this.registry, say: this.say },
      memory: this.context.workspaceState,
      userMemory: this.context.globalState,
      isStarting: () => this.launches.launcher.starting > 0,
      onChange: () => this.statusBar.update(),
    });
  }

  private makeSessions(storageDirectory: string): WindowSessions {
    const { registry, log, say } = this;
    const { launcher } = this.launches;
    const startScript = scriptStarter(this.context, log);
    const openHome = homeOpener({ startScript, say, log });
    return new WindowSessions({ launcher, registry, log, storageDirectory, startScript, openHome });
  }

  private makeWalkthrough({ granted }: WindowModels): WalkthroughContext {
    return new WalkthroughContext({
      hasModel: (folder) => granted.has(folder),
      isProven: () => this.launches.proof.isThere(),
      onError: (error) => this.log.warn(String(error)),
    });
  }

  private makeStatusBar(): StatusBar {
    return new StatusBar(() => ({
      sandboxes: this.shown.list().filter(({ isReported }) => isReported !== true),
      starting: this.launches.launcher.starting,
      ...this.images.obstacle(),
      findings: this.guard.findings().length + this.guard.more,
      proof: this.launches.proof.describe(),
      now: Date.now(),
    }));
  }

  private makeView(live: LiveSandboxes): SandboxesView {
    return new SandboxesView({
      ...{ registry: this.registry, say: this.say },
      makeHostSandboxes: (onChange) =>
        hostSandboxesOf(live, { onChange, onError: (error) => this.log.warn(String(error)) }),
      onShow: () => this.lookAtSetup(),
      onChange: () => this.report.update(),
    });
  }

  private followWindow(): vscode.Disposable {
    return followWindow({
      onFolders: () => {
        this.statusBar.update();
        this.updateSetup();
        this.walkthrough.look();
        this.view.foldersChanged().catch((error: unknown) => void this.say.error(error));
        this.sessions.foldersChanged().catch((error: unknown) => void this.say.error(error));
      },
      onSettings: () => {
        this.updateSetup();
        this.images.announce();
      },
    });
  }

  /** What the view says runs a program, so that is looked at only while it is seen. */
  private updateSetup(): void {
    void this.images.parts.setupCheck.look();
    if (this.view.isVisible) {
      this.lookAtSetup();
    }
  }

  private lookAtSetup(): void {
    this.images.updateWelcome().catch((error: unknown) => void this.say.error(error));
  }

  private refresh(): void {
    this.view.update();
    this.sessionsView.updateSoon();
    this.guard.update();
    this.statusBar.update();
    const running = this.registry.running().length;
    this.runningContext.update(running > 0);
    this.walkthrough.follow(running);
  }
}
