import type { WorkspaceConfiguration } from 'vscode';
import type { PullFolders } from '../apptainer/pullFolders';
import { settingKeys, settingName, type SettingKey } from '../contributions';
import { message, type Message } from '../sandbox/message';
import { permissionModes, type PermissionMode } from '../opencode/permissions';
import { gitModes, strictestProtectedPaths, type GitMode } from '../sandbox/protectedPaths';
import { readVariables, type VariableSetting } from '../sandbox/insideVariables';
import type { UndoSettings } from '../launch/undoFolder';
import { clipboardMode, strictest, strictestNetwork } from '../sandbox/settings';
import type { NetworkMode } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';

/**
 * The settings as they count for one folder. Texts are only known to be texts: who uses them checks them where it
 * can also say why they don't do.
 */
export interface Settings {
  /** empty: look in the usual places */
  readonly apptainerPath: string;
  /** where images are pulled and built, apart from the image itself */
  readonly pullFolders: PullFolders;
  /** empty: the image that Pull Image has fetched */
  readonly image: string;
  readonly imageSource: string;
  /** in which files are run; empty: in the agent's */
  readonly analysisImage: string;
  /** `workspace`, `none`, or an absolute path */
  readonly agentHome: string;
  readonly network: NetworkMode;
  readonly detachedTimeoutMilliseconds: number;
  /** what a sandbox's /tmp and /var/tmp may take */
  readonly temporaryFilesLimitBytes: number;
  /** whether programs in a sandbox may write the clipboard */
  readonly mayWriteClipboard: boolean;
  /** when the agent has to ask */
  readonly permission: PermissionMode;
  /** whether the agent can write to repositories */
  readonly git: GitMode;
  /** what of the workspace the agent can only read */
  readonly protectedPaths: readonly string[];
  /** variables that the user gives to the agent */
  readonly environment: VariableSetting;
  /** what is kept to undo what agents do */
  readonly undo: UndoSettings;
  /** whether a copy of the image's opencode is kept and used */
  readonly opencodeCopy: boolean;
}

/** What is needed of the `WorkspaceConfiguration` for the section `sandboxedAgent`. */
export type SettingsReader = Pick<WorkspaceConfiguration, 'inspect'>;

/**
 * Reads all settings. VS Code checks none of them against the manifest, so that is done here. Everything that is
 * executed, bound or handed to the agent comes from the user (or the remote machine): what a workspace says does not
 * count. The network, when the agent asks, and what is read-only can be set by both, and the stricter one counts.
 * @throws UserError `setting.invalid`, `variable.…`, which open the setting
 */
export function readSettings(reader: SettingsReader): Settings {
  return {
    apptainerPath: readText(reader, settingKeys.apptainerPath),
    pullFolders: {
      cache: readText(reader, settingKeys.apptainerCacheFolder),
      temporary: readText(reader, settingKeys.apptainerTemporaryFolder),
    },
    image: readText(reader, settingKeys.image),
    imageSource: readText(reader, settingKeys.imageSource),
    analysisImage: readText(reader, settingKeys.analysisImage),
    agentHome: readText(reader, settingKeys.agentHome),
    network: readNetwork(reader),
    detachedTimeoutMilliseconds: readDetachedTimeout(reader),
    temporaryFilesLimitBytes: readTemporaryFilesLimit(reader),
    mayWriteClipboard: readClipboard(reader),
    permission: readPermission(reader),
    git: readGit(reader),
    protectedPaths: strictestProtectedPaths(allValues(reader, settingKeys.protectedPaths)),
    environment: readVariables(
      userValue(reader, settingKeys.environment),
      settingName(settingKeys.environment),
    ),
    undo: readUndo(reader),
    opencodeCopy: userValue(reader, settingKeys.opencodeCopy) === true,
  };
}

function readPermission(reader: SettingsReader): PermissionMode {
  const key = settingKeys.permission;
  return strictest(permissionModes, settingName(key), allValues(reader, key)) ?? 'askAll';
}

function readGit(reader: SettingsReader): GitMode {
  const key = settingKeys.git;
  return strictest(gitModes, settingName(key), allValues(reader, key)) ?? 'readOnly';
}

/** What the user and the workspace say, undefined where they say nothing. */
function allValues(reader: SettingsReader, key: SettingKey): unknown[] {
  const found = reader.inspect(key);
  return [userValue(reader, key), found?.workspaceValue, found?.workspaceFolderValue];
}

function readUndo(reader: SettingsReader): UndoSettings {
  const folder = readText(reader, settingKeys.undoFolder);
  if (folder !== '' && !folder.startsWith('/')) {
    const key = settingKeys.undoFolder;
    throw invalid(key, message('The setting {0} must be an absolute path, or empty.', settingName(key)));
  }
  const megabytes = readNumber(
    reader,
    settingKeys.undoMegabytes,
    maximumUndoMegabytes,
    message(
      'The setting {0} must be a number of megabytes from 0 to {1}.',
      settingName(settingKeys.undoMegabytes),
      maximumUndoMegabytes,
    ),
  );
  return {
    folder,
    maximumBytes: megabytes * 2 ** 20,
    respectsIgnoreFiles: userValue(reader, settingKeys.undoIgnoredFiles) !== true,
  };
}

/** 64 GB, as in the manifest. */
const maximumUndoMegabytes = 65_536;

function readNumber(reader: SettingsReader, key: SettingKey, most: number, problem: Message): number {
  const value = userValue(reader, key);
  if (typeof value !== 'number' || !(value >= 0 && value <= most)) throw invalid(key, problem);
  return value;
}

function readClipboard(reader: SettingsReader): boolean {
  return clipboardMode(userValue(reader, settingKeys.clipboard)) === 'write';
}

function readNetwork(reader: SettingsReader): NetworkMode {
  const found = reader.inspect(settingKeys.network);
  const withWorkspace = strictestNetwork(userValue(reader, settingKeys.network), found?.workspaceValue);
  return strictestNetwork(withWorkspace, found?.workspaceFolderValue);
}

function readDetachedTimeout(reader: SettingsReader): number {
  const key = settingKeys.detachedTimeoutMinutes;
  const problem = message(
    'The setting {0} must be a number of minutes from 0 to {1}.',
    settingName(key),
    maximumDetachedMinutes,
  );
  return readNumber(reader, key, maximumDetachedMinutes, problem) * 60_000;
}

function readTemporaryFilesLimit(reader: SettingsReader): number {
  const key = settingKeys.temporaryFilesLimit;
  const mebibytes = userValue(reader, key);
  if (
    typeof mebibytes !== 'number' ||
    !(mebibytes >= leastTemporaryMebibytes && Number.isFinite(mebibytes))
  ) {
    throw invalid(
      key,
      message('The setting {0} must be a number, at least {1}.', settingName(key), leastTemporaryMebibytes),
    );
  }
  return mebibytes * 1024 * 1024;
}

/** As in the manifest: opencode leaves 20 MB at each start (measured with 1.18). */
const leastTemporaryMebibytes = 64;

/** 14 days, as in the manifest. A timer of Node holds at most 24 days (2^31 ms). */
const maximumDetachedMinutes = 20_160;

function readText(reader: SettingsReader, key: SettingKey): string {
  const value = userValue(reader, key);
  if (typeof value !== 'string') {
    throw invalid(key, message('The setting {0} must be a text.', settingName(key)));
  }
  return value;
}

/** The value of the user or of the remote machine, else the default of the manifest. */
function userValue(reader: SettingsReader, key: SettingKey): unknown {
  const found = reader.inspect(key);
  return found?.globalValue === undefined ? found?.defaultValue : found.globalValue;
}

function invalid(key: SettingKey, description: Message): UserError {
  return new UserError('setting.invalid', description, { kind: 'openSetting', setting: settingName(key) });
}
