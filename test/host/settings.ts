import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Settings of VS Code, by their names in `settings.json`. */
export type Settings = Readonly<Record<string, unknown>>;

/** Nothing that asks the network, greets, updates or gets in the way of a test. */
const quietSettings: Settings = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'window.confirmBeforeClose': 'never',
  'git.openRepositoryInParentFolders': 'never',
  'remote.autoForwardPorts': false,
  'npm.fetchOnlinePackageInfo': false,
  'json.schemaDownload.enable': false,
  // it is made when a window has been there for a while, and takes seconds of a processor
  'sandboxedAgent.opencodeCopy': false,
  // the DOM renderer: only with it can a test read a terminal's text from the page
  'terminal.integrated.gpuAcceleration': 'off',
};

/**
 * Writes the settings of a new user data folder.
 *
 * @param userDataFolder VS Code's `--user-data-dir`; made where it does not exist
 * @param settings what the test needs, over the quiet ones
 */
export function writeSettings(userDataFolder: string, settings: Settings = {}): void {
  const text = JSON.stringify({ ...quietSettings, ...settings }, null, 2);
  // a desktop VS Code reads the first; a remote window takes settings of scope `machine` from the second alone
  for (const level of ['User', 'Machine']) {
    const folder = join(userDataFolder, level);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'settings.json'), text);
  }
}
