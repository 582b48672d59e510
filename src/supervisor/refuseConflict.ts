import { commandIds, settingKeys, settingName } from '../contributions';
import { coveredHomes, isBelow, type WrittenFolders, writtenFolders } from '../sandbox/agentHomes';
import { type Message, message } from '../sandbox/message';
import { isSameOrInside } from '../sandbox/paths';
import type { SandboxSpecification } from '../sandbox/specification';
import { type RemedyAction, UserError } from '../sandbox/userError';
import { isClosedIn, isHomeInPlace, type OtherSandbox, sandboxesNear } from './otherSandboxes';

/**
 * Refuses a sandbox that could write, together with one that runs, what each alone can only read: the one moves what is
 * above it to where the other may write, and back, which no look at a start shows.
 * @param others as `sandboxesNear` has them
 * @throws UserError `protected.nested`, `home.open`, `home.reached`
 */
export async function refuseConflicts(own: WrittenFolders, others: readonly OtherSandbox[]): Promise<void> {
  for (const other of others) {
    const { workspace, home = '' } = other.entry;
    if (isBelow(own.workspace, workspace) || isBelow(workspace, own.workspace)) throw nested(other);
    if (holds(own.home, workspace)) throw homeOpen(own, other);
    if (holds(home, own.workspace)) throw homeReached(own, other);
    if (isHomeIn(workspace, own.home) && !(await isClosedIn(other, own.home))) throw homeOpen(own, other);
    if (isHomeIn(own.workspace, home) && !(await closes(own, other))) throw homeReached(own, other);
  }
}

/** {@link refuseConflicts} of a sandbox that has been entered. @throws UserError as there */
export async function refuseConflictsOf(specification: SandboxSpecification): Promise<void> {
  const { id, indexDirectory } = specification;
  const own = writtenFolders(specification);
  await refuseConflicts(own, await sandboxesNear(indexDirectory, { ...own, id }));
}

function holds(home: string, workspace: string): boolean {
  return home !== '' && isSameOrInside(home, workspace);
}

function isHomeIn(workspace: string, home: string): boolean {
  return home !== '' && isBelow(workspace, home);
}

/** Whether a sandbox can't write to the home of another one, which lies in its workspace. */
async function closes(own: WrittenFolders, other: OtherSandbox): Promise<boolean> {
  const { home = '' } = other.entry;
  return coveredHomes(own).some(({ path }) => isSameOrInside(path, home)) && (await isHomeInPlace(other));
}

function nested(other: OtherSandbox): UserError {
  const { entry, file, isHere } = other;
  return refusal(
    'protected.nested',
    other,
    isHere
      ? message(
          'A sandbox is running in {0}. One of the two folders is in the other, and together their agents could write what each alone can only read. Stop that sandbox first, or open the same folder.',
          entry.workspace,
        )
      : message(
          'A sandbox on {1} is entered as running in {0}. One of the two folders is in the other, and together their agents could write what each alone can only read. Stop that sandbox on {1}, or open the same folder. If that computer is gone, or nothing of the sandbox runs there any more, remove the file {2}.',
          entry.workspace,
          entry.hostName,
          file,
        ),
  );
}

function homeOpen({ home }: WrittenFolders, other: OtherSandbox): UserError {
  const { entry, file, isHere } = other;
  const setting = settingName(settingKeys.agentHome);
  return refusal(
    'home.open',
    other,
    isHere
      ? message(
          'A sandbox that runs in {1} could write to the agent’s home {0}, which was not one when it was started, and together the two could change what each alone can only read. Stop that sandbox first, or choose another home (setting {2}).',
          home,
          entry.workspace,
          setting,
        )
      : message(
          'A sandbox that is entered as running in {1} on {3} could write to the agent’s home {0}, which was not one when it was started, and together the two could change what each alone can only read. Stop that sandbox on {3}, or choose another home (setting {2}). If that computer is gone, or nothing of the sandbox runs there any more, remove the file {4}.',
          home,
          entry.workspace,
          setting,
          entry.hostName,
          file,
        ),
  );
}

function homeReached({ workspace }: WrittenFolders, other: OtherSandbox): UserError {
  const { entry, file, isHere } = other;
  const { home = '' } = entry;
  return refusal(
    'home.reached',
    other,
    isHere
      ? message(
          'A sandbox is running whose agent has the home {0}. That can’t be closed to a sandbox in {1}, because the folder is in that home, or the home was moved or made meanwhile, and together the two could change what each alone can only read. Stop that sandbox first.',
          home,
          workspace,
        )
      : message(
          'A sandbox is entered as running on {2} whose agent has the home {0}. That can’t be closed to a sandbox in {1}, because the folder is in that home, or the home was moved or made meanwhile, and together the two could change what each alone can only read. Stop that sandbox on {2}. If that computer is gone, or nothing of the sandbox runs there any more, remove the file {3}.',
          home,
          workspace,
          entry.hostName,
          file,
        ),
  );
}

/** What runs on another computer can't be stopped from here. */
function refusal(code: string, { isHere }: OtherSandbox, description: Message): UserError {
  const stop: RemedyAction = { kind: 'runCommand', command: commandIds.stop };
  return new UserError(code, description, isHere ? stop : undefined);
}
