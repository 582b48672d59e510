import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Scenario } from '../../scripts/demoModel/scenario';
import { type DemoModel, startDemoModel } from '../../scripts/demoModel/server';
import { linkExtension } from '../host/extensionsFolder';
import { openWorkbench, type Workbench, workbenchAddress, type WorkbenchOptions } from '../host/workbench';
import { configureModel, greetingScenario, makeWorkspace } from '../support/agentWorkspace';
import { apptainer, image } from '../support/environment';
import { type KnownProcess, ownProcesses, processesBelow, stillRunning } from '../support/processes';
import { projectFile } from '../support/projectFile';
import { runDirectories } from '../support/runDirectories';
import { waitUntil } from '../support/waitUntil';
import { patienceMilliseconds } from './patience';
import { WorkbenchPage } from './workbenchPage';

/** This clone: the extension under development. */
export const repositoryFolder = projectFile('.');

export interface AgentWorkbenchOptions extends Pick<
  WorkbenchOptions,
  'release' | 'settings' | 'workspaceTrust' | 'environment'
> {
  /** names the screenshots */
  readonly name: string;
  /** name of the folder that is opened; none without it */
  readonly folderName?: string;
  /** name of a second folder, beside the first: both are opened together, by a `.code-workspace` file */
  readonly secondFolderName?: string;
  /** puts the extension into VS Code's folder of extensions and returns where; default: this clone, by a link */
  readonly install?: (extensionsFolder: string) => string;
  /** what the model says; default: it greets */
  readonly scenario?: Scenario;
  /** `false`: the folder names no model, so nothing is asked about one before a start */
  readonly configuresModel?: boolean;
  /** what the status bar says of the extension once it works; default: anything */
  readonly firstStatus?: RegExp | undefined;
}

/** A workbench with the extension in it, a folder for its agent, and a scripted model that the agent uses there. */
export class AgentWorkbench {
  private hasFailed = false;
  /** left by suites that failed: what they have left is none of ours */
  private readonly foreign = new Set(runDirectories().map(({ path }) => path));

  private constructor(
    readonly page: WorkbenchPage,
    /** the folder that is open */
    readonly folder: string,
    private readonly workbench: Workbench,
    private readonly model: DemoModel,
    private readonly extensionFolder: string,
  ) {}

  static async open(options: AgentWorkbenchOptions): Promise<AgentWorkbench> {
    const model = await startDemoModel({ scenario: options.scenario ?? greetingScenario });
    const folder = makeWorkspace(options.folderName);
    if (options.configuresModel !== false) {
      configureModel(folder, model.baseUrl);
    }
    const extensionsFolder = mkdtempSync(join(tmpdir(), 'extensions-'));
    const install = options.install ?? ((place) => linkExtension(repositoryFolder, place));
    const extensionFolder = install(extensionsFolder);
    const workbench = await openWorkbench({
      ...options,
      ...(options.folderName === undefined ? {} : { folder: openedPath(folder, options.secondFolderName) }),
      extensionsFolder,
      takesExtensionsFromAddress: false,
      settings: {
        'sandboxedAgent.apptainerPath': apptainer(),
        'sandboxedAgent.image': image(),
        // the list of terminals is there even when there is only one
        'terminal.integrated.tabs.hideCondition': 'never',
        ...options.settings,
      },
    });
    const page = new WorkbenchPage(workbench.page, options.name);
    await page.ready();
    // the palette does not know the extension's commands before
    await page.statusSays(options.firstStatus ?? /Agent: /);
    return new AgentWorkbench(page, folder, workbench, model, extensionFolder);
  }

  /** Opens another window of the same VS Code, with a folder of its own. @param name of its screenshots */
  async openWindow(name: string): Promise<WorkbenchPage> {
    const page = await this.workbench.page.context().newPage();
    await page.goto(workbenchAddress(this.workbench.server, { folder: makeWorkspace(name) }));
    const window = new WorkbenchPage(page, name);
    await window.ready();
    await window.statusSays(/Agent: /);
    return window;
  }

  /** The extension's storage. */
  get storageFolder(): string {
    const { userDataFolder } = this.workbench.server;
    return join(userDataFolder, 'User/globalStorage', 'sandboxed-agent.sandboxed-agent');
  }

  /** The processes of the only sandbox that runs, the supervisor first. */
  async sandboxProcesses(): Promise<KnownProcess[]> {
    const supervisor = await waitUntil('one supervisor runs', () => {
      const found = this.supervisors();
      return found.length === 1 && found[0];
    });
    return processesBelow(supervisor.pid);
  }

  private supervisors(): KnownProcess[] {
    const script = join(this.extensionFolder, 'dist/supervisor.js');
    return stillRunning(ownProcesses()).filter(({ commandLine }) => commandLine.includes(script));
  }

  /** The extension host, in which the extension runs. */
  async extensionHost(): Promise<KnownProcess> {
    return await waitUntil('an extension host runs', () =>
      processesBelow(this.workbench.server.pid).find(({ commandLine }) =>
        commandLine.includes('--type=extensionHost'),
      ),
    );
  }

  /** Waits until none of these processes runs, and no run directory that came since the workbench did is left. */
  async gone(processes: readonly KnownProcess[], milliseconds = goneMilliseconds): Promise<void> {
    const left = () => [
      ...stillRunning(processes).map(({ pid, commandLine }) => `${pid} ${commandLine}`),
      ...runDirectories()
        .map(({ path }) => path)
        .filter((path) => !this.foreign.has(path) && existsSync(path)),
    ];
    await waitUntil(
      'the sandbox is gone',
      () => left().length === 0,
      milliseconds,
      () => left().join('\n'),
    );
  }

  /** Takes a picture when a test has failed. */
  async pictureFailure(test: Mocha.Test | undefined): Promise<void> {
    if (test?.state === 'failed') {
      this.hasFailed = true;
      await this.page.screenshot('failed');
    }
  }

  async close(): Promise<void> {
    await this.workbench.close();
    await this.model.close();
    if (this.hasFailed) await this.endSandboxes();
  }

  /** A failed test leaves its sandbox, and the suites that follow count on there being none. */
  private async endSandboxes(): Promise<void> {
    const supervisors = this.supervisors();
    supervisors.forEach(({ pid }) => process.kill(pid, 'SIGKILL'));
    await this.gone(supervisors, patienceMilliseconds);
  }
}

/** What VS Code is to open: the folder, or both. */
function openedPath(folder: string, second: string | undefined): string {
  if (second === undefined) return folder;
  mkdirSync(join(dirname(folder), second));
  const file = join(dirname(folder), 'both.code-workspace');
  writeFileSync(file, JSON.stringify({ folders: [{ path: basename(folder) }, { path: second }] }));
  return file;
}

/** A click has to find its way through the browser; test/extension/ holds the promise of one second. */
const goneMilliseconds = 3000;
