import { commandIds, settingKeys, settingName } from '../contributions';
import { findProtectedPaths } from '../guard/findProtected';
import { coveredHomes, writtenFolders } from '../sandbox/agentHomes';
import { type Message, message } from '../sandbox/message';
import { defaultProtectedPaths, readProtectedPatterns } from '../sandbox/protectedPaths';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';
import { boundReadOnlyIn, type OtherSandbox, sandboxesNear } from '../supervisor/otherSandboxes';
import { refuseConflicts } from '../supervisor/refuseConflict';
import { findOtherHomes } from './otherHomes';
import type { SandboxSettings } from './prepareRequest';

/** What is read-only in a workspace, as parts of what a start needs. */
export interface WorkspaceProtection {
  readonly parts: Pick<SandboxSpecification, 'protectedPaths' | 'otherHomes'>;
  readonly insideEnvironment: Readonly<Record<string, string>>;
  readonly notes: readonly Message[];
}

/** What the settings say of it. */
export type ProtectionSettings = Pick<SandboxSettings, 'git' | 'protectedPaths'> &
  Partial<Pick<SandboxSettings, 'agentHome'>>;

/**
 * Finds what of a workspace the agent must not change. While other agents can write there, that is also what they can't
 * write: so none can hide from the search what it can't write itself. A folder that never comes to rest is a refusal
 * then, and where it is not known what they can't write, as on another computer, any search that does not come to its
 * end: they could be the reason.
 * @param workspace real path
 * @param indexDirectory where live sandboxes are entered
 * @throws UserError `protected.…`, `home.…`, `setting.invalid`
 */
export async function protectWorkspace(
  workspace: string,
  home: SandboxSpecification['home'],
  settings: ProtectionSettings,
  indexDirectory: string,
): Promise<WorkspaceProtection> {
  const { git = 'readOnly', protectedPaths = defaultProtectedPaths } = settings;
  const near = (): Promise<OtherSandbox[]> =>
    sandboxesNear(indexDirectory, writtenFolders({ workspace: { path: workspace }, home }));
  const otherHomes = await findOtherHomes(workspace, home, settings.agentHome, await near());
  const own = writtenFolders({ workspace: { path: workspace }, home, otherHomes });
  let other: OtherSandbox | undefined;
  let unknown: OtherSandbox | undefined;
  const { paths, isComplete, isSettled, isGitComplete } = await findProtectedPaths({
    workspace,
    patterns: readProtectedPatterns(protectedPaths),
    protectsGit: git === 'readOnly',
    skipped: coveredHomes(own).map(({ path }) => path),
    boundElsewhere: async () => {
      const present = await near();
      await refuseConflicts(own, present);
      // where there is no conflict, the others work elsewhere and have a home here that is closed
      const here = present.filter(({ entry }) => entry.workspace === workspace);
      const bound = here.map(boundReadOnlyIn);
      other ??= here[0];
      unknown ??= here.find((_, index) => bound[index] === undefined);
      return bound.flatMap((each) => each ?? []);
    },
    isWatchful: () => unknown !== undefined,
  });
  if (unknown && !(isComplete && isGitComplete)) throw searchDisturbed(workspace, unknown);
  if (other && !isSettled) throw searchDisturbed(workspace, other);
  return {
    parts: {
      ...(paths.length > 0 && { protectedPaths: [...paths] }),
      ...(otherHomes.length > 0 && { otherHomes }),
    },
    // else git tries to write what it has found out, which can't be and need not be
    insideEnvironment: git === 'readOnly' ? { GIT_OPTIONAL_LOCKS: '0' } : {},
    notes: [
      ...(git === 'writable' ? [gitWritable] : []),
      ...(isComplete ? [] : [notSearched(workspace)]),
      ...(isGitComplete ? [] : [gitNotRead(workspace)]),
    ],
  };
}

function searchDisturbed(workspace: string, { entry, file, isHere }: OtherSandbox): UserError {
  return isHere
    ? new UserError(
        'protected.disturbed',
        message(
          'Another sandbox works in {0}, and not all that must be read-only for the agent could be found there, or stays where it is: folders in it are renamed or changed all the time, or something lies in a folder of which the other sandbox could take it out again. Wait until that sandbox does less and try again, or stop it first.',
          workspace,
        ),
        { kind: 'runCommand', command: commandIds.stop },
      )
    : new UserError(
        'protected.disturbed',
        message(
          'A sandbox on {1} works in {0}, and not all that must be read-only for the agent could be found there: the folder is too large, its configuration of git names too much, it is changed all the time, or something lies where that sandbox could have put it for now, like a repository in another one’s .git. Wait until that sandbox does less and try again, or stop it first. If nothing of it runs there any more, remove the file {2}.',
          workspace,
          entry.hostName,
          file,
        ),
      );
}

const gitWritable = message(
  'The agent can write to .git (setting {0}): what it writes there can run on this computer as soon as you or VS Code use git in this folder. It is watched.',
  settingName(settingKeys.git),
);

function notSearched(workspace: string): Message {
  return message(
    '{0} was not searched to its end before the start: it is too large, or was changed all the time. Repositories that were not found are watched, but not read-only.',
    workspace,
  );
}

function gitNotRead(workspace: string): Message {
  return message(
    'Configurations of git in {0} are larger, or name more, than is looked at. What else they make git run on this computer may be neither read-only nor watched.',
    workspace,
  );
}
