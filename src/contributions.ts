/**
 * Everything of the manifest that the code names, once. A unit test compares it with `package.json`. Imports nothing,
 * so that everybody can name a setting.
 */

/** Every command, with the name by which the rest of the code calls it. */
export const commandIds = {
  start: 'sandboxedAgent.start',
  openShell: 'sandboxedAgent.openShell',
  attach: 'sandboxedAgent.attach',
  stop: 'sandboxedAgent.stop',
  pullImage: 'sandboxedAgent.pullImage',
  selectImage: 'sandboxedAgent.selectImage',
  showIsolationReport: 'sandboxedAgent.showIsolationReport',
  showLog: 'sandboxedAgent.showLog',
} as const;
export type CommandId = (typeof commandIds)[keyof typeof commandIds];

/** The section of all settings. */
export const settingsSection = 'sandboxedAgent';

/** Every setting, without the section. */
export const settingKeys = {
  apptainerPath: 'apptainerPath',
  image: 'image',
  imageSource: 'imageSource',
  agentHome: 'agentHome',
  network: 'network',
  detachedTimeoutMinutes: 'detachedTimeoutMinutes',
} as const;
export type SettingKey = (typeof settingKeys)[keyof typeof settingKeys];

/** The full name of a setting, as the settings editor and `UserError` know it. */
export function settingName(key: SettingKey): string {
  return `${settingsSection}.${key}`;
}

/** Keys for `when` clauses. */
export const contextKeys = {
  /** whether a sandbox of this window's folders runs */
  running: 'sandboxedAgent.running',
  /** whether an image was pulled or chosen */
  hasImage: 'sandboxedAgent.hasImage',
  /** whether this computer (not that of the window) can have no sandboxes at all */
  unsupported: 'sandboxedAgent.unsupported',
} as const;
