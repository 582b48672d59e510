import { join } from 'node:path';
import * as vscode from 'vscode';
import { contextKeys, settingKeys, settingsSection } from '../../contributions';
import type { Environment } from '../../sandbox/hostEnvironment';
import type { Message } from '../../sandbox/message';
import { agentHomeName } from '../../sandbox/paths';
import { checkSetup, firstBlocking, isComputerReady } from '../../setup/checkSetup';
import { collectSetupFacts, type CollectRequest } from '../../setup/collectFacts';
import type { Fix } from '../../setup/line';
import { BlockPanel } from '../report/blockPanel';
import { runInTerminal } from './commandTerminal';
import { programObstacle } from './obstacles';
import type { PulledImage } from '../images/pulledImage';
import { buttonOf, type Say } from '../say';
import { readSettings } from '../settings';
import { againKey, commandText, fixOf, setupContent, type FixUse, type ShownCheck } from './setupContent';
import { translate } from '../translate';
import { realFolders, windowFacts } from '../window';
import { setContext } from '../setContext';

export interface SetupCheckOptions {
  readonly pulledImage: Pick<PulledImage, 'orChosen'>;
  readonly environment: Environment;
  readonly storageDirectory: string;
  readonly say: Pick<Say, 'error'>;
  /** what Apptainer says, for the log */
  readonly log: (text: string) => void;
  /** called when there is something new to say */
  readonly onChange: () => void;
}

/** What this window knows of the setup of this computer, and the page that shows it. */
export class SetupCheck implements vscode.Disposable {
  private lines: ShownCheck;
  /** of several checks at the same time the last counts */
  private latest = 0;
  private readonly panel = new BlockPanel({
    viewType: 'sandboxed-agent.setup',
    title: vscode.l10n.t('Check Setup'),
    read: () => setupContent(this.lines, translate, labelOf),
    onPress: (key) => void this.pressed(key).catch((error: unknown) => this.options.say.error(error)),
  });

  constructor(private readonly options: SetupCheckOptions) {}

  /** Why no sandbox can be started on this computer, as far as that was looked at. */
  get blocking(): Message | undefined {
    return firstBlocking(this.lines ?? [])?.detail;
  }

  /** Shows the page, and looks at everything while it says so. @throws UserError in Restricted Mode, and for a wrong setting */
  async show(): Promise<void> {
    const request = await this.request(true);
    this.lines = undefined;
    this.panel.show();
    this.panel.update();
    await this.check(request);
  }

  /** Looks at what can be seen without starting a container; says nothing when that can't be done. */
  async look(): Promise<void> {
    try {
      await this.check(await this.request(false));
    } catch (error) {
      // in Restricted Mode, or with a wrong setting: whoever starts a sandbox is told
      this.options.log(String(error));
    }
  }

  dispose(): void {
    this.panel.dispose();
  }

  private async check(request: CollectRequest): Promise<void> {
    this.latest += 1;
    const attempt = this.latest;
    const lines = checkSetup(await collectSetupFacts(request));
    if (attempt === this.latest) {
      this.lines = lines;
      this.panel.update();
      this.options.onChange();
      await setContext(contextKeys.computerReady, isComputerReady(lines));
    }
  }

  private async request(isThorough: boolean): Promise<CollectRequest> {
    const facts = windowFacts();
    const obstacle = programObstacle(facts);
    // what is wrong with the computer itself has a line of its own
    if (obstacle?.code.startsWith('window.')) {
      throw obstacle;
    }
    const { environment, storageDirectory, pulledImage, log } = this.options;
    const settings = readSettings(vscode.workspace.getConfiguration(settingsSection));
    const workspaces = [...(await realFolders())];
    return {
      ...{ platform: facts.platform, userId: facts.userId, environment, storageDirectory, workspaces },
      apptainerPath: settings.apptainerPath,
      pullFolders: settings.pullFolders,
      image: await pulledImage.orChosen(settings.image),
      agentHome: homeOf(settings.agentHome, workspaces[0]),
      // a container started by root is none
      isThorough: isThorough && obstacle === undefined,
      onOutput: log,
    };
  }

  private async pressed(key: string): Promise<void> {
    if (key === againKey) {
      await this.show();
      return;
    }
    const found = fixOf(this.lines ?? [], key);
    if (found) {
      await apply(found);
    }
  }
}

function homeOf(setting: string, workspace: string | undefined): string | undefined {
  if (setting === 'none') return undefined;
  if (setting !== 'workspace') return setting;
  return workspace === undefined ? undefined : join(workspace, agentHomeName);
}

function labelOf(fix: Fix): string {
  return fix.kind === 'action' ? buttonOf(fix.action).label : '';
}

async function apply({ fix, use }: { fix: Fix; use: FixUse }): Promise<void> {
  switch (fix.kind) {
    case 'action': {
      const { command, values = [] } = buttonOf(fix.action);
      await vscode.commands.executeCommand(command, ...values);
      return;
    }
    case 'useProgram': {
      const configuration = vscode.workspace.getConfiguration(settingsSection);
      await configuration.update(settingKeys.apptainerPath, fix.path, vscode.ConfigurationTarget.Global);
      return;
    }
    case 'commands':
      if (use === 'copy') {
        await vscode.env.clipboard.writeText(fix.commands.map(commandText).join('\n'));
      } else {
        runInTerminal(fix.commands);
      }
  }
}
