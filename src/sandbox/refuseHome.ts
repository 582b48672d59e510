import { settingKeys, settingName } from '../contributions';
import { findObjection, type Surroundings } from './forbiddenPlaces';
import { type Message, message } from './message';
import { contains, type FileProblem, type Place } from './paths';
import type { FolderFacts } from './refusals';
import { type RemedyAction, UserError } from './userError';

const setAgentHome: RemedyAction = { kind: 'openSetting', setting: settingName(settingKeys.agentHome) };

/** The error for a home that can't be used. @param cause for the log */
export function homeRefusal(problem: FileProblem, path: string, cause?: unknown): UserError {
  return new UserError(`home.${problem}`, describeHomeProblem(problem, path), setAgentHome, { cause });
}

function describeHomeProblem(problem: FileProblem, path: string): Message {
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
