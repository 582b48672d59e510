import { basename } from 'node:path';
import { type Message, message } from './message';
import { contains, entryTowards, isSameOrInside, type Place } from './paths';
import { isRunDirectoryName } from './runDirectory';

/** What a place that is ours or the system's is for. */
export type ReservedKind = 'temporary' | 'runtime' | 'storage' | 'editor' | 'image' | 'apptainer';

export interface ReservedPlace {
  readonly kind: ReservedKind;
  readonly place: Place;
}

/** What there is on this host besides the folder in question. */
export interface Surroundings {
  /** the user's home folder, under each name that the system has for it */
  readonly homes: readonly Place[];
  readonly reserved: readonly ReservedPlace[];
}

/** Why no agent may have a folder: the end of an error code and the text. */
export interface Objection {
  readonly code: ReservedKind | 'runDirectory' | 'systemFolder' | 'home' | 'dotFolder' | 'windowsFolder';
  readonly description: Message;
}

/** Refused with everything below: kernel interfaces, programs, configuration and sockets of the system. */
const systemTrees = [
  ...['/proc', '/sys', '/dev', '/run', '/etc', '/usr', '/boot'],
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
];
/** Refused themselves; a project may lie below. */
const systemFolders = ['/', '/var', '/opt', '/root', '/home', '/mnt', '/media', '/srv', '/snap'];
/** In WSL, a drive of Windows, the folder of its users, one user's folder, and Windows itself. */
const windowsFolders =
  /^\/mnt\/[a-z](\/users(\/[^/]+)?|\/(windows|program files[^/]*|programdata)(\/.*)?)?$/i;

/** Kinds that are refused from inside, too: what lies there is for us and VS Code to read and believe. */
const closedKinds: readonly ReservedKind[] = ['storage', 'editor'];

/** Why `folder` can't be given to an agent, if it can't. `folder` is resolved. */
export function findObjection(folder: Place, surroundings: Surroundings): Objection | undefined {
  const { path } = folder;
  if (systemFolders.includes(path) || systemTrees.some((tree) => isSameOrInside(tree, path))) {
    return {
      code: 'systemFolder',
      description: message(
        "{0} can't be given to an agent: it belongs to the system. Choose a folder of your own.",
        path,
      ),
    };
  }
  if (windowsFolders.test(path)) {
    return {
      code: 'windowsFolder',
      description: message(
        "{0} can't be given to an agent: it holds the files of Windows or of all your programs there. Choose a project folder further down.",
        path,
      ),
    };
  }
  return (
    objectionOfHomes(folder, surroundings.homes) ??
    objectionOfReserved(folder, surroundings.reserved) ??
    objectionOfRunDirectories(folder, surroundings.reserved)
  );
}

function objectionOfHomes(folder: Place, homes: readonly Place[]): Objection | undefined {
  for (const home of homes) {
    if (contains(folder, home)) {
      return {
        code: 'home',
        description: message(
          "{0} can't be given to an agent: it holds your whole home folder {1}, with your keys and passwords. Choose a project folder further down.",
          folder.path,
          home.path,
        ),
      };
    }
    const entry = entryTowards(home, folder);
    if (entry !== undefined && basename(entry).startsWith('.')) {
      return {
        code: 'dotFolder',
        description: message(
          "{0} can't be given to an agent: {1} is where programs keep their settings and keys. Choose another folder.",
          folder.path,
          entry,
        ),
      };
    }
  }
  return undefined;
}

function objectionOfReserved(folder: Place, reserved: readonly ReservedPlace[]): Objection | undefined {
  const hit = reserved.find(
    ({ kind, place }) => contains(folder, place) || (closedKinds.includes(kind) && contains(place, folder)),
  );
  return hit && { code: hit.kind, description: describeReserved(hit.kind, folder.path, hit.place.path) };
}

/** The run directories of all sandboxes, which are made in these folders, are closed from inside, too. */
function objectionOfRunDirectories(folder: Place, reserved: readonly ReservedPlace[]): Objection | undefined {
  const entries = reserved
    .filter(({ kind }) => kind === 'temporary' || kind === 'runtime')
    .map(({ place }) => entryTowards(place, folder));
  const hit = entries.find((entry) => entry !== undefined && isRunDirectoryName(basename(entry)));
  if (hit === undefined) return undefined;
  return {
    code: 'runDirectory',
    description: message(
      "{0} can't be given to an agent: {1} is what keeps a running sandbox apart. Choose another folder.",
      folder.path,
      hit,
    ),
  };
}

function describeReserved(kind: ReservedKind, folder: string, place: string): Message {
  switch (kind) {
    case 'temporary':
      return message(
        "{0} can't be given to an agent: the temporary files of all programs are in {1}. Choose a folder of its own.",
        folder,
        place,
      );
    case 'runtime':
      return message(
        "{0} can't be given to an agent: the connections to your running programs are in {1}. Choose another folder.",
        folder,
        place,
      );
    case 'storage':
      return message(
        "{0} can't be given to an agent: this extension keeps its own files in {1}. Choose another folder.",
        folder,
        place,
      );
    case 'editor':
      return message(
        "{0} can't be given to an agent: VS Code itself is in {1}. Choose another folder.",
        folder,
        place,
      );
    case 'image':
      return message(
        "{0} can't be given to an agent: the image of the sandbox, {1}, is in it and could be replaced. Move the image, or choose another folder.",
        folder,
        place,
      );
    case 'apptainer':
      return message(
        "{0} can't be given to an agent: Apptainer, {1}, is in it and could be replaced. Choose another folder.",
        folder,
        place,
      );
  }
}
