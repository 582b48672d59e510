import { settingKeys, settingName } from '../contributions';
import { type Message, message } from './message';
import type { Place } from './paths';
import { findExposure } from './refuseImage';
import { UserError } from './userError';

/** For what a pull or a build needs a folder, apart from the image itself. */
export type PullFolderRole = 'cache' | 'temporary';

/** The setting with which each is chosen. */
export const pullFolderSettings: Readonly<Record<PullFolderRole, string>> = {
  cache: settingName(settingKeys.apptainerCacheFolder),
  temporary: settingName(settingKeys.apptainerTemporaryFolder),
};

/** What was seen of a folder that the user has chosen. */
export interface PullFolderFacts {
  readonly configuredPath: string;
  /** where its files go, resolved */
  readonly place: Place;
  /** every entry that is passed on the way there */
  readonly entries: readonly string[];
  /** `unreachable`: we may not look */
  readonly kind: 'missing' | 'unreachable' | 'folder' | 'other';
  readonly isWritable: boolean;
}

/**
 * Why images can't be pulled and built with a folder, if they can't.
 * @param workspaces the folders that agents can write: what is cached or unpacked there could be replaced by one
 */
export function refusePullFolder(
  role: PullFolderRole,
  facts: PullFolderFacts,
  workspaces: readonly Place[],
): UserError | undefined {
  const setting = pullFolderSettings[role];
  const problem = problemOf(facts, setting, workspaces);
  return problem && new UserError('pull.folder', problem, { kind: 'openSetting', setting });
}

function problemOf(
  facts: PullFolderFacts,
  setting: string,
  workspaces: readonly Place[],
): Message | undefined {
  const { configuredPath: path, kind, isWritable } = facts;
  if (!isUsablePath(path)) {
    return message('The setting {0} must be the full path of a folder, starting with /, or empty.', setting);
  }
  if (kind === 'missing') {
    return message(
      'The folder {0} of the setting {1} does not exist. Make it, or choose another one.',
      path,
      setting,
    );
  }
  if (kind === 'other') {
    return message('{0} in the setting {1} is no folder. Choose another one.', path, setting);
  }
  if (kind === 'unreachable' || !isWritable) {
    return message(
      'You may not write in the folder {0} of the setting {1}. Choose another one.',
      path,
      setting,
    );
  }
  const exposed = findExposure(facts, workspaces);
  return (
    exposed &&
    message(
      'The folder {0} of the setting {1} is inside {2}, where an agent could change what an image is made from. Choose another one.',
      ...[path, setting, exposed.path],
    )
  );
}

/** Whether a path can be looked at at all. */
export function isUsablePath(path: string): boolean {
  return path.startsWith('/') && !path.includes('\0');
}
