import * as vscode from 'vscode';
import { settingKeys, settingName, settingsSection } from '../../contributions';
import type { SandboxRegistry } from '../../launch/sandboxRegistry';
import { AllowedHosts } from './allowedHosts';
import { readAllowedHosts } from './allowedHostsSetting';
import { NetworkLogs } from './networkLog';
import { NetworkLogView } from './networkLogView';
import type { Say } from '../say';

/** What of a window has to do with the hosts that its sandboxes reach, made and connected. */
export class WindowNetwork implements vscode.Disposable {
  readonly allowedHosts: AllowedHosts;
  readonly logs: NetworkLogs;
  readonly view: NetworkLogView;
  private readonly subscription: vscode.Disposable;

  /**
   * @param memory the extension's own state, `globalState`
   * @param machine as `machineIdentity` gives it
   */
  constructor(memory: vscode.Memento, machine: string, registry: SandboxRegistry, say: Say) {
    const allowedHosts = new AllowedHosts({
      memory,
      machine,
      sandboxes: registry,
      readSetting: () => readAllowedHosts(vscode.workspace.getConfiguration(settingsSection)),
    });
    const tellErrors = (work: Promise<void>): void => {
      work.catch((error: unknown) => void say.error(error));
    };
    registry.onEnd(({ summary }) => tellErrors(allowedHosts.forget(summary.id)));
    this.subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(settingName(settingKeys.allowedHosts))) {
        tellErrors(allowedHosts.apply());
      }
    });
    this.allowedHosts = allowedHosts;
    this.logs = new NetworkLogs(registry);
    this.view = new NetworkLogView({ logs: this.logs, registry, allowedHosts, say });
  }

  dispose(): void {
    this.subscription.dispose();
    this.view.dispose();
  }
}
