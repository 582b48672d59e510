import { commandIds, settingKeys, settingName } from '../contributions';
import { findProtectedPaths } from '../guard/findProtected';
import { type Message, message } from '../sandbox/message';
import { defaultProtectedPaths, readProtectedPatterns } from '../sandbox/protectedPaths';
import type { SandboxSpecification } from '../sandbox/specification';
import { isSameOrInside } from '../sandbox/paths';
import { UserError } from '../sandbox/userError';
import { boundReadOnlyIn, type OtherSandbox, sandboxesIn } from './otherSandboxes';
import type { SandboxSettings } from './prepareRequest';

/** What is read-only in a workspace, as parts of what a start needs. */
export interface WorkspaceProtection {
  readonly parts: Pick<SandboxSpecification, 'protectedPaths'>;
  readonly insideEnvironment: Readonly<Record<string, string>>;
  readonly notes: readonly Message[];
}

/**
 * Finds what of a workspace the agent must not change. While other agents can write there, that is also what they can't
 * write: so none can hide from the search what it can't write itself. A folder that never comes to rest is a refusal
 * then, and where it is not known what they can't write, as on another computer, any search that does not come to its
 * end: they could be the reason.
 * @param workspace real path
 * @param indexDirectory where live sandboxes are entered
 * @throws UserError `protected.…`, `setting.invalid`
 */
export async function protectWorkspace(
  workspace: string,
  home: SandboxSpecification['home'],
  settings: Pick<SandboxSettings, 'git' | 'protectedPaths'>,
  indexDirectory: string,
): Promise<WorkspaceProtection> {
  const { git = 'readOnly', protectedPaths = defaultProtectedPaths } = settings;
  const skipped = home.kind === 'folder' ? [home.folder.path] : [];
  let other: OtherSandbox | undefined;
  let unknown: OtherSandbox | undefined;
  const { paths, isComplete, isSettled, isGitComplete } = await findProtectedPaths({
    workspace,
    patterns: readProtectedPatterns(protectedPaths),
    protectsGit: git === 'readOnly',
    skipped,
    boundElsewhere: async () => {
      const present = await sandboxesIn(indexDirectory, workspace, skipped);
      refuseNested(workspace, present);
      const bound = present.map(boundReadOnlyIn);
      other ??= present[0];
      unknown ??= present.find((_, index) => bound[index] === undefined);
      return bound.flatMap((each) => each ?? []);
    },
  });
  if (unknown && !(isComplete && isGitComplete)) throw searchDisturbed(workspace, unknown);
  if (other && !isSettled) throw searchDisturbed(workspace, other);
  return {
    parts: paths.length > 0 ? { protectedPaths: [...paths] } : {},
    // else git tries to write what it has found out, which can't be and need not be
    insideEnvironment: git === 'readOnly' ? { GIT_OPTIONAL_LOCKS: '0' } : {},
    notes: [
      ...(git === 'writable' ? [gitWritable] : []),
      ...(isComplete ? [] : [notSearched(workspace)]),
      ...(isGitComplete ? [] : [gitNotRead(workspace)]),
    ],
  };
}

/**
 * The agent of the outer folder could move what neither may write to where the inner one may, and back: no look at a
 * start shows that.
 */
function refuseNested(workspace: string, others: readonly OtherSandbox[]): void {
  const folders = others.map(({ entry }) => entry.workspace);
  const nested = folders.find(
    (folder) =>
      folder !== workspace && (isSameOrInside(folder, workspace) || isSameOrInside(workspace, folder)),
  );
  if (nested === undefined) return;
  throw new UserError(
    'protected.nested',
    message(
      'A sandbox is running in {0}. One of the two folders is in the other, and together their agents could write what each alone can only read. Stop that sandbox first, or open the same folder.',
      nested,
    ),
    { kind: 'runCommand', command: commandIds.stop },
  );
}

function searchDisturbed(workspace: string, { entry, file, isHere }: OtherSandbox): UserError {
  return isHere
    ? new UserError(
        'protected.disturbed',
        message(
          'Another sandbox works in {0}, and not all that must be read-only for the agent could be found there, because folders in it are renamed or changed all the time. Wait until the other sandbox does less and try again, or stop it first.',
          workspace,
        ),
        { kind: 'runCommand', command: commandIds.stop },
      )
    : new UserError(
        'protected.disturbed',
        message(
          'A sandbox on {1} works in {0}, and not all that must be read-only for the agent could be found there: the folder is too large, its configuration of git names too much, or it is changed all the time. Wait until the other sandbox does less and try again, or stop it first. If nothing of it runs there any more, remove the file {2}.',
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
