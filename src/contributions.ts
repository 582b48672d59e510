/**
 * Everything of the manifest that the code names, once. A unit test compares it with `package.json`. Imports nothing,
 * so that everybody can name a setting.
 */

/** Every command, with the name by which the rest of the code calls it. */
export const commandIds = {
  start: 'sandboxedAgent.start',
  openShell: 'sandboxedAgent.openShell',
  runTask: 'sandboxedAgent.runTask',
  runActiveFile: 'sandboxedAgent.runActiveFile',
  attach: 'sandboxedAgent.attach',
  stop: 'sandboxedAgent.stop',
  checkSetup: 'sandboxedAgent.checkSetup',
  unpackApptainer: 'sandboxedAgent.unpackApptainer',
  pullImage: 'sandboxedAgent.pullImage',
  checkForUpdate: 'sandboxedAgent.checkForUpdate',
  registryLogin: 'sandboxedAgent.registryLogin',
  completeImage: 'sandboxedAgent.completeImage',
  buildImage: 'sandboxedAgent.buildImage',
  selectImage: 'sandboxedAgent.selectImage',
  showIsolationReport: 'sandboxedAgent.showIsolationReport',
  openReportAsMarkdown: 'sandboxedAgent.openReportAsMarkdown',
  proveSandbox: 'sandboxedAgent.proveSandbox',
  openProofAsMarkdown: 'sandboxedAgent.openProofAsMarkdown',
  exportProof: 'sandboxedAgent.exportProof',
  copyCommandLine: 'sandboxedAgent.copyCommandLine',
  networkLog: 'sandboxedAgent.networkLog',
  allowedHosts: 'sandboxedAgent.allowedHosts',
  allowHost: 'sandboxedAgent.allowHost',
  allowHostOnce: 'sandboxedAgent.allowHostOnce',
  keepDenied: 'sandboxedAgent.keepDenied',
  filterNetworkLog: 'sandboxedAgent.filterNetworkLog',
  exportNetworkLog: 'sandboxedAgent.exportNetworkLog',
  configureModel: 'sandboxedAgent.configureModel',
  setApiKey: 'sandboxedAgent.setApiKey',
  removeApiKey: 'sandboxedAgent.removeApiKey',
  setEnvironmentVariable: 'sandboxedAgent.setEnvironmentVariable',
  resumeSession: 'sandboxedAgent.resumeSession',
  forkSession: 'sandboxedAgent.forkSession',
  renameSession: 'sandboxedAgent.renameSession',
  archiveSession: 'sandboxedAgent.archiveSession',
  unarchiveSession: 'sandboxedAgent.unarchiveSession',
  deleteSession: 'sandboxedAgent.deleteSession',
  restoreSession: 'sandboxedAgent.restoreSession',
  exportSession: 'sandboxedAgent.exportSession',
  copySessionId: 'sandboxedAgent.copySessionId',
  openTranscript: 'sandboxedAgent.openTranscript',
  showEarlierMessages: 'sandboxedAgent.showEarlierMessages',
  openSessionFile: 'sandboxedAgent.openSessionFile',
  refreshSessions: 'sandboxedAgent.refreshSessions',
  filterSessions: 'sandboxedAgent.filterSessions',
  sortSessions: 'sandboxedAgent.sortSessions',
  sendToAgent: 'sandboxedAgent.sendToAgent',
  showFindings: 'sandboxedAgent.showFindings',
  openFindings: 'sandboxedAgent.openFindings',
  showFindingDiff: 'sandboxedAgent.showFindingDiff',
  allowFinding: 'sandboxedAgent.allowFinding',
  quarantineFinding: 'sandboxedAgent.quarantineFinding',
  restoreQuarantined: 'sandboxedAgent.restoreQuarantined',
  pauseEditor: 'sandboxedAgent.pauseEditor',
  reviewChanges: 'sandboxedAgent.reviewChanges',
  openChange: 'sandboxedAgent.openChange',
  keepChange: 'sandboxedAgent.keepChange',
  revertChange: 'sandboxedAgent.revertChange',
  keepAllChanges: 'sandboxedAgent.keepAllChanges',
  revertAllChanges: 'sandboxedAgent.revertAllChanges',
  undoRevert: 'sandboxedAgent.undoRevert',
  showLog: 'sandboxedAgent.showLog',
  collectDiagnostics: 'sandboxedAgent.collectDiagnostics',
} as const;
export type CommandId = (typeof commandIds)[keyof typeof commandIds];

/** The section of all settings. */
export const settingsSection = 'sandboxedAgent';

/** Every setting, without the section. */
export const settingKeys = {
  apptainerPath: 'apptainerPath',
  apptainerCacheFolder: 'apptainerCacheFolder',
  apptainerTemporaryFolder: 'apptainerTemporaryFolder',
  image: 'image',
  imageSource: 'imageSource',
  analysisImage: 'analysisImage',
  agentHome: 'agentHome',
  network: 'network',
  detachedTimeoutMinutes: 'detachedTimeoutMinutes',
  temporaryFilesLimit: 'temporaryFilesLimit',
  clipboard: 'clipboard',
  permission: 'permission',
  environment: 'environment',
  allowedHosts: 'allowedHosts',
  git: 'git',
  protectedPaths: 'protectedPaths',
  undoFolder: 'undoFolder',
  undoMegabytes: 'undoMegabytes',
  undoIgnoredFiles: 'undoIgnoredFiles',
  opencodeCopy: 'opencodeCopy',
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
  /** a `SetupState`: what stands in the way of a sandbox in this window */
  setup: 'sandboxedAgent.setup',
  /** whether this computer has what a sandbox needs besides an image, as far as that was looked at */
  computerReady: 'sandboxedAgent.computerReady',
  /** whether an image was pulled or chosen, and is there */
  hasImage: 'sandboxedAgent.hasImage',
  /** whether a folder of the window has led to a model that may be used */
  hasModel: 'sandboxedAgent.hasModel',
  /** whether a proof was made that said something about what was to run then */
  isProven: 'sandboxedAgent.isProven',
  /** whether the agent of a folder of the window has remembered something */
  hasMemory: 'sandboxedAgent.hasMemory',
  /** for a moment after a page of VS Code's own came up, such as a walkthrough */
  pageOpened: 'sandboxedAgent.pageOpened',
  /** whether this computer (not that of the window) can have no sandboxes at all */
  unsupported: 'sandboxedAgent.unsupported',
  /** a `NetworkLogState`: what the empty log of the network says */
  networkLogState: 'sandboxedAgent.networkLogState',
  /** whether changes are being reviewed: then there is a view of them */
  reviewing: 'sandboxedAgent.reviewing',
  /** whether the view of sessions has something to show */
  hasSessions: 'sandboxedAgent.hasSessions',
  /** a `SessionsState`: what the view of sessions shows */
  sessionsState: 'sandboxedAgent.sessionsState',
  /** whether something waits for an answer in the view of findings */
  hasFindings: 'sandboxedAgent.hasFindings',
} as const;

/** What can stand in the way of a sandbox in a window; the view's welcome has a text for each. */
export const setupStates = [
  'ready',
  'untrusted',
  'noFolder',
  'virtual',
  'unsuitable',
  'noApptainer',
  'noImage',
] as const;
export type SetupState = (typeof setupStates)[number];

/** Why the network log can be empty; its welcome has a text for each. */
export const networkLogStates = ['noSandbox', 'open', 'off', 'nothingYet', 'filtered'] as const;
export type NetworkLogState = (typeof networkLogStates)[number];

/** Why the view of sessions can be empty; its welcome has a text for each. With `list` it is not. */
export const emptySessionsStates = [
  'untrusted',
  'noFolder',
  'unsuitable',
  'noImage',
  'noOpencode',
  'problem',
  'reading',
  'filtered',
  'empty',
] as const;
export type SessionsState = (typeof emptySessionsStates)[number] | 'list';

export const viewIds = {
  sandboxes: 'sandboxedAgent.sandboxes',
  sessions: 'sandboxedAgent.sessions',
  networkLog: 'sandboxedAgent.networkLog',
  findings: 'sandboxedAgent.findings',
  changes: 'sandboxedAgent.changes',
} as const;

/** Terminal profiles. */
export const profileIds = {
  agent: 'sandboxedAgent.agentProfile',
  shell: 'sandboxedAgent.shellProfile',
} as const;
