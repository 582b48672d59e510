import { settingKeys, settingName } from '../contributions';
import { type Message, message } from '../sandbox/message';
import type { FolderRole, FolderSpace, SetupFacts } from './facts';
import { type Fix, type LineId, ok, type SetupLine, unknown, warning } from './line';

const megabyte = 1_000_000;

interface Need {
  readonly role: FolderRole;
  readonly id: LineId;
  readonly megabytes: number;
  readonly advice: Message;
  readonly fixes: readonly Fix[];
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
    fixes: [{ kind: 'action', action: { kind: 'openSetting', setting: settingName(settingKeys.image) } }],
  },
  {
    role: 'cache',
    id: 'cacheSpace',
    megabytes: 1000,
    advice: message('Empty the cache of Apptainer, or set APPTAINER_CACHEDIR to a larger disk.'),
    fixes: [{ kind: 'commands', commands: [['apptainer', 'cache', 'clean']] }],
  },
  {
    role: 'temporary',
    id: 'temporarySpace',
    megabytes: 2000,
    advice: message('Set APPTAINER_TMPDIR to a folder on a larger disk, and restart VS Code.'),
    fixes: [],
  },
  {
    role: 'agentHome',
    id: 'homeSpace',
    megabytes: 200,
    advice: message('Free some space, or choose another place for the agent’s home.'),
    fixes: [{ kind: 'action', action: { kind: 'openSetting', setting: settingName(settingKeys.agentHome) } }],
  },
];

/** Whether there is room where a pull and the agent need it, and whether the agent's home is on a suitable disk. */
export function diskLines({ folders }: SetupFacts): SetupLine[] {
  return [
    ...needs.flatMap((need) => {
      const folder = folders.find(({ role }) => role === need.role);
      return folder ? [spaceLine(need, folder)] : [];
    }),
    ...fileSystemLines(folders),
  ];
}

function spaceLine(need: Need, { path, freeBytes, isQuotaUsedUp }: FolderSpace): SetupLine {
  const { id, megabytes, advice, fixes } = need;
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
        { kind: 'action', action: { kind: 'openSetting', setting: settingName(settingKeys.agentHome) } },
      ),
    ];
  }
  const shown = workspace ?? home;
  return shown === undefined
    ? [unknown('fileSystem', message('No folder is open.'))]
    : [ok('fileSystem', message('{0} is on a suitable file system.', shown.path))];
}
