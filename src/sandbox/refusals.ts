import { findObjection, type Surroundings } from './forbiddenPlaces';
import { type Message, message } from './message';
import { contains, type Place } from './paths';
import { type RemedyAction, UserError } from './userError';

/** What was seen of a folder that shall be bound. */
export interface FolderFacts {
  readonly place: Place;
  /** `unreachable`: the system did not let us look */
  readonly kind: 'missing' | 'unreachable' | 'folder' | 'link' | 'other';
  readonly ours: boolean;
  readonly readable: boolean;
  readonly writable: boolean;
}

/** What was seen of an image file. */
export interface ImageFacts {
  /** as it was configured; empty when it was not */
  readonly configuredPath: string;
  /** every path that leads to it: as it was configured, and resolved */
  readonly places: readonly Place[];
  readonly kind: 'missing' | 'unreachable' | 'file' | 'other';
  /** it starts like a SIF */
  readonly isSif: boolean;
}

const openAnotherFolder: RemedyAction = { kind: 'openFolder' };
const setAgentHome: RemedyAction = { kind: 'openSetting', setting: 'sandboxedAgent.agentHome' };
const imageSetting = 'sandboxedAgent.image';
const setImage: RemedyAction = { kind: 'openSetting', setting: imageSetting };
const pullImage: RemedyAction = { kind: 'runCommand', command: 'sandboxedAgent.pullImage' };

/** Why no sandbox can run on this host for this user, if none can. */
export function refuseHost(host: { readonly platform: string; readonly uid: number }): UserError | undefined {
  if (host.platform !== 'linux') {
    return new UserError(
      'host.notLinux',
      message(
        'Sandboxes need Linux, because Apptainer does. Open the folder on a Linux machine over Remote-SSH, or in WSL on Windows.',
      ),
    );
  }
  if (host.uid === 0) {
    return new UserError(
      'host.root',
      message(
        "Sandboxes can't be run as root: Apptainer would give the agent root's powers. Log in as an ordinary user.",
      ),
    );
  }
  return undefined;
}

/** Why a folder can't be the workspace of a sandbox, if it can't. `folder` is resolved, so never a link. */
export function refuseWorkspace(folder: FolderFacts, surroundings: Surroundings): UserError | undefined {
  const { path } = folder.place;
  const refuse = (code: string, text: Message): UserError =>
    new UserError(`workspace.${code}`, text, openAnotherFolder);
  if (path.includes('\0') || !path.startsWith('/')) {
    return refuse(
      'invalidPath',
      message('This folder has a name that Linux does not know. Open another folder.'),
    );
  }
  if (folder.kind === 'missing') {
    return refuse('missing', message('The folder {0} does not exist any more. Open another folder.', path));
  }
  if (folder.kind === 'unreachable') {
    return refuse('unreadable', message('You may not read the folder {0}. Check its permissions.', path));
  }
  if (folder.kind !== 'folder') {
    return refuse('notAFolder', message('{0} is not a folder. Open the folder that it is in.', path));
  }
  const objection = findObjection(folder.place, surroundings);
  if (objection !== undefined) return refuse(objection.code, objection.description);
  if (!folder.readable) {
    return refuse('unreadable', message('You may not read the folder {0}. Check its permissions.', path));
  }
  if (!folder.writable) {
    return refuse(
      'readOnly',
      message(
        'You may not write in the folder {0}, so an agent could not work there. Check its permissions, or copy it.',
        path,
      ),
    );
  }
  return undefined;
}

/**
 * Why an image can't be used, if it can't.
 * @param workspaces the folders in which agents work: an image there could be replaced by the agent
 */
export function refuseImage(image: ImageFacts, workspaces: readonly Place[]): UserError | undefined {
  const path = image.configuredPath;
  if (path === '') {
    return new UserError(
      'image.notConfigured',
      message(
        'There is no image for the sandbox yet. Pull one, or name a SIF file in the setting {0}.',
        imageSetting,
      ),
      pullImage,
    );
  }
  if (!path.startsWith('/') || path.includes('\0')) {
    return new UserError(
      'image.notAbsolute',
      message('The setting {0} must be the full path of a SIF file, starting with /.', imageSetting),
      setImage,
    );
  }
  if (image.kind === 'missing') {
    return new UserError(
      'image.missing',
      message(
        'The image {0} does not exist. Pull it, or name another one in the setting {1}.',
        path,
        imageSetting,
      ),
      pullImage,
    );
  }
  if (image.kind === 'unreachable') {
    return new UserError(
      'image.unreadable',
      message('You may not read the image {0}. Check its permissions.', path),
      setImage,
    );
  }
  if (image.kind !== 'file' || !image.isSif) {
    return new UserError(
      'image.notSif',
      message(
        '{0} is not an image that Apptainer can run (a SIF file). Pull it again, or name another one.',
        path,
      ),
      setImage,
    );
  }
  const exposed = workspaces.find((workspace) => image.places.some((place) => contains(workspace, place)));
  if (exposed === undefined) return undefined;
  return new UserError(
    'image.insideWorkspace',
    message(
      'The image {0} is inside {1}, where an agent could replace it. Move it to another folder.',
      path,
      exposed.path,
    ),
    setImage,
  );
}

/** What can be wrong with the folder that shall be the agent's home. */
export type HomeProblem =
  'missing' | 'symbolicLink' | 'notAFile' | 'notAFolder' | 'tooLarge' | 'foreignOwner' | 'noAccess';

/** The error for a home that can't be used. @param cause for the log */
export function homeRefusal(problem: HomeProblem, path: string, cause?: unknown): UserError {
  return new UserError(`home.${problem}`, describeHomeProblem(problem, path), setAgentHome, { cause });
}

function describeHomeProblem(problem: HomeProblem, path: string): Message {
  switch (problem) {
    case 'missing':
      return message("The agent's home {0} can't be made, because the folder above it does not exist.", path);
    case 'symbolicLink':
      return message(
        "The agent's home {0} is a symbolic link and could lead anywhere. Put a folder in its place.",
        path,
      );
    case 'foreignOwner':
      return message("The agent's home {0} belongs to another user. Choose a folder of your own.", path);
    case 'noAccess':
      return message(
        "You may not read and write the agent's home {0}. Check its permissions (chmod 700).",
        path,
      );
    case 'notAFile':
    case 'notAFolder':
    case 'tooLarge':
      return message("The agent's home {0} is not a folder. Rename it or remove it.", path);
  }
}

/**
 * Why a folder can't be the home of the agent, if it can't. One that is missing can be made.
 * @param home not followed if it is a link
 * @param workspace the folder of the sandbox; the home may lie in it
 */
export function refuseHome(
  home: FolderFacts,
  workspace: Place,
  surroundings: Surroundings,
): UserError | undefined {
  const { path } = home.place;
  if (home.kind === 'link') return homeRefusal('symbolicLink', path);
  if (home.kind === 'other') return homeRefusal('notAFolder', path);
  if (contains(home.place, workspace)) {
    return new UserError(
      'home.containsWorkspace',
      message(
        "The agent's home {0} holds the workspace {1}. Choose a folder of its own.",
        path,
        workspace.path,
      ),
      setAgentHome,
    );
  }
  const objection = findObjection(home.place, surroundings);
  if (objection !== undefined)
    return new UserError(`home.${objection.code}`, objection.description, setAgentHome);
  if (home.kind === 'missing') return undefined;
  if (home.kind === 'folder' && !home.ours) return homeRefusal('foreignOwner', path);
  const isUsable = home.kind === 'folder' && home.readable && home.writable;
  return isUsable ? undefined : homeRefusal('noAccess', path);
}
