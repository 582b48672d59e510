import { settingKeys, settingName } from '../contributions';
import { findProtectedPaths } from '../guard/findProtected';
import { type Message, message } from '../sandbox/message';
import { defaultProtectedPaths, readProtectedPatterns } from '../sandbox/protectedPaths';
import type { SandboxSpecification } from '../sandbox/specification';
import type { SandboxSettings } from './prepareRequest';

/** What is read-only in a workspace, as parts of what a start needs. */
export interface WorkspaceProtection {
  readonly parts: Pick<SandboxSpecification, 'protectedPaths'>;
  readonly insideEnvironment: Readonly<Record<string, string>>;
  readonly notes: readonly Message[];
}

/**
 * Finds what of a workspace the agent must not change.
 * @param workspace real path
 * @throws UserError `protected.…`, `setting.invalid`
 */
export async function protectWorkspace(
  workspace: string,
  home: SandboxSpecification['home'],
  settings: Pick<SandboxSettings, 'git' | 'protectedPaths'>,
): Promise<WorkspaceProtection> {
  const { git = 'readOnly', protectedPaths = defaultProtectedPaths } = settings;
  const { paths, isComplete, isGitComplete } = await findProtectedPaths({
    workspace,
    patterns: readProtectedPatterns(protectedPaths),
    protectsGit: git === 'readOnly',
    skipped: home.kind === 'folder' ? [home.folder.path] : [],
  });
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

const gitWritable = message(
  'The agent can write to .git (setting {0}): what it writes there can run on this computer as soon as you or VS Code use git in this folder. It is watched.',
  settingName(settingKeys.git),
);

function notSearched(workspace: string): Message {
  return message(
    '{0} is too large to be searched to its end before a start. Repositories that were not found are watched, but not read-only.',
    workspace,
  );
}

function gitNotRead(workspace: string): Message {
  return message(
    'Configurations of git in {0} are larger, or name more, than is looked at. What else they make git run on this computer may be neither read-only nor watched.',
    workspace,
  );
}
