import { findObjection, type Surroundings } from './forbiddenPlaces';
import { type Message, message } from './message';
import type { Place } from './paths';
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

const openAnotherFolder: RemedyAction = { kind: 'openFolder' };

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
    return refuse(
      'unreadable',
      message('You may not read the folder {0}. Check its permissions, or open another folder.', path),
    );
  }
  if (folder.kind !== 'folder') {
    return refuse('notAFolder', message('{0} is not a folder. Open the folder that it is in.', path));
  }
  const objection = findObjection(folder.place, surroundings);
  if (objection !== undefined) return refuse(objection.code, objection.description);
  if (!folder.readable) {
    return refuse(
      'unreadable',
      message('You may not read the folder {0}. Check its permissions, or open another folder.', path),
    );
  }
  if (!folder.writable) {
    return refuse(
      'readOnly',
      message(
        'You may not write in the folder {0}, so an agent could not work there. Check its permissions, or open a copy of it.',
        path,
      ),
    );
  }
  return undefined;
}
