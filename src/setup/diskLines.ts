import { dirname } from 'node:path';
import { settingKeys, settingName } from '../contributions';
import { type Message, message } from '../sandbox/message';
import { pullFolderSettings } from '../sandbox/refusePullFolder';
import type { UserError } from '../sandbox/userError';
import type { FolderRole, FolderSpace, SetupFacts } from './facts';
import { actionFix, commandsFix, type Fix, type LineId, ok, type SetupLine, unknown, warning } from './line';

const megabyte = 1_000_000;

interface Need {
  readonly role: FolderRole;
  readonly id: LineId;
  readonly megabytes: number;
  readonly advice: Message;
  readonly fixes: (folder: FolderSpace) => readonly Fix[];
}

function settingFix(setting: string): Fix {
  return { kind: 'action', action: { kind: 'openSetting', setting } };
}

/**
 * What an image of 60 to 500 MB needs: its layers in the cache, two to three times its size to unpack it (measured),
 * and itself. opencode keeps under 1 MB at first, and grows with each session.
 */
const needs: readonly Need[] = [
  {
    role: 'images',
    id: 'imageSpace',
    megabytes: 500,
    advice: message('Choose an image elsewhere, or free some space.'),
    fixes: () => [settingFix(settingName(settingKeys.image))],
  },
  {
    role: 'cache',
    id: 'cacheSpace',
    megabytes: 1000,
    advice: message('Empty the cache of Apptainer, or choose a folder on a larger disk for it.'),
    fixes: ({ path }) => [
      // in its folder `cache`, wherever a setting or a variable has that
      ...commandsFix(['env', `APPTAINER_CACHEDIR=${dirname(path)}`, 'apptainer', 'cache', 'clean']),
      settingFix(pullFolderSettings.cache),
    ],
  },
  {
    role: 'temporary',
    id: 'temporarySpace',
    megabytes: 2000,
    advice: message('Choose a folder on a larger disk for it.'),
    fixes: () => [settingFix(pullFolderSettings.temporary)],
  },
  {
    role: 'agentHome',
    id: 'homeSpace',
    megabytes: 200,
    advice: message('Free some space, or choose another place for the agent’s home.'),
    fixes: () => [settingFix(settingName(settingKeys.agentHome))],
  },
];

/** Whether there is room where a pull and the agent need it, and whether the agent's home is on a suitable disk. */
export function diskLines({ folders, refusedFolders }: SetupFacts): SetupLine[] {
  return [
    ...needs.flatMap((need) => {
      const refused = refusedFolders.find(({ role }) => role === need.role);
      if (refused) return [refusedLine(need.id, refused.error)];
      const folder = folders.find(({ role }) => role === need.role);
      return folder ? [spaceLine(need, folder)] : [];
    }),
    ...temporaryProgramsLines(folders),
    ...fileSystemLines(folders),
  ];
}

/** Nothing can be pulled or built; what is there already runs. */
function refusedLine(id: LineId, { description, action }: UserError): SetupLine {
  return { ...warning(id, description, ...actionFix(action)), state: 'problem' };
}

function spaceLine(need: Need, folder: FolderSpace): SetupLine {
  const { id, megabytes, advice } = need;
  const { path, freeBytes, isQuotaUsedUp } = folder;
  const fixes = need.fixes(folder);
  if (isQuotaUsedUp) {
    const line = warning(id, message('Your quota at {0} is used up.', path), ...fixes);
    return { ...line, state: 'problem', advice };
  }
  const free = Math.floor(freeBytes / megabyte);
  return free < megabytes
    ? {
        ...warning(
          id,
          message('{0} MB are free at {1}; {2} can be needed.', free, path, megabytes),
          ...fixes,
        ),
        advice,
      }
    : ok(id, message('{0} MB are free at {1}.', free, path));
}

/** Apptainer refuses to unpack an image there. What is there already runs. */
function temporaryProgramsLines(folders: readonly FolderSpace[]): SetupLine[] {
  const folder = folders.find(({ role }) => role === 'temporary');
  if (folder === undefined) return [];
  const id = 'temporaryPrograms';
  const { path, forbidsPrograms } = folder;
  if (!forbidsPrograms) return [ok(id, message('Programs may be run in {0}.', path))];
  const line = warning(
    id,
    message(
      'No program may be run in {0} (its disk is mounted with noexec), so no image can be pulled or built there.',
      path,
    ),
    settingFix(pullFolderSettings.temporary),
  );
  return [{ ...line, state: 'problem', advice: message('Choose a folder on another disk for it.') }];
}

function fileSystemLines(folders: readonly FolderSpace[]): SetupLine[] {
  const home = folders.find(({ role }) => role === 'agentHome');
  const workspace = folders.find(({ role }) => role === 'workspace');
  if (home === undefined && workspace === undefined) return [];
  if (home?.fileSystem === 'network') {
    return [
      warning(
        'fileSystem',
        message(
          'The agent’s home {0} is on {1}, which other computers can use, too. One sandbox at a time may have it: computers that share your home folder keep to that with a lock, others do not. For several at once choose a folder on a disk of this computer.',
          home.path,
          home.fileSystemName,
        ),
        settingFix(settingName(settingKeys.agentHome)),
      ),
    ];
  }
  const shown = workspace ?? home;
  return shown === undefined
    ? [unknown('fileSystem', message('No folder is open.'))]
    : [ok('fileSystem', message('{0} is on a suitable file system.', shown.path))];
}
