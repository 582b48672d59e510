import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { settingKeys, settingName } from '../contributions';
import { identityOf } from '../host/fileIdentity';
import { followPath, readFolderFacts, readPlace } from '../host/folderFacts';
import { createFile, entryPath, openFolder, openPrivateFolder, UnsafeFileError } from '../host/safeFiles';
import type { Surroundings } from '../sandbox/forbiddenPlaces';
import { message } from '../sandbox/message';
import { agentHomeName, isSameOrInside, type Place } from '../sandbox/paths';
import type { FolderFacts } from '../sandbox/refusals';
import { homeRefusal, refuseHome } from '../sandbox/refuseHome';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';

export interface AgentHomeRequest {
  /** resolved */
  readonly workspace: Place;
  /** the setting `sandboxedAgent.agentHome`: `workspace`, `none`, or an absolute path */
  readonly setting: string;
  readonly surroundings: Surroundings;
}

/**
 * Both say "ignore everything here, this file too". Without the first opencode snapshots its own database, and an
 * undo then corrupts it; without the second its search tools look through it where there is no git (measured).
 */
const ignoreFiles = ['.gitignore', '.ignore'];

/**
 * Makes the agent's home ready: a folder that is ours, not a link, made with mode 0700 when it is missing. One in
 * the workspace is also closed to others, and hidden from git and from search tools.
 * @throws UserError `home.…`
 */
export async function prepareAgentHome(request: AgentHomeRequest): Promise<SandboxSpecification['home']> {
  if (request.setting === 'none') return { kind: 'memory' };
  const path =
    request.setting === 'workspace' ? join(request.workspace.path, agentHomeName) : request.setting;
  const facts = await readHomeFacts(path, request.workspace);
  const refusal = refuseHome(facts, request.workspace, request.surroundings);
  if (refusal !== undefined) throw refusal;
  try {
    return await openHome(facts, request.workspace);
  } catch (error) {
    if (error instanceof UnsafeFileError) throw homeRefusal(error.reason, facts.place.path, error);
    throw error;
  }
}

/**
 * The folder that {@link prepareAgentHome} would make ready, if it is there already; nothing is made or changed, and
 * whether it will do is not looked at.
 * @returns undefined for a home in memory, or one that was never made
 */
export async function findAgentHome({
  workspace,
  setting,
}: Pick<AgentHomeRequest, 'setting'> & { readonly workspace: string }): Promise<string | undefined> {
  if (setting === 'none') return undefined;
  const path = setting === 'workspace' ? join(workspace, agentHomeName) : setting;
  const { kind, place } = await readFolderFacts(path);
  return kind === 'folder' ? place.path : undefined;
}

async function readHomeFacts(path: string, workspace: Place): Promise<FolderFacts> {
  if (!isAbsolute(path) || path.includes('\0')) {
    const setting = settingName(settingKeys.agentHome);
    throw new UserError(
      'home.notAbsolute',
      message(
        'The setting {0} must be “workspace”, “none”, or the full path of a folder, starting with /.',
        setting,
      ),
      { kind: 'openSetting', setting },
    );
  }
  const facts = await readFolderFacts(path);
  const { entries } = await followPath(path);
  // the agent could have put a link into the workspace that leads the home out of it
  const passesWorkspace = entries.some((entry) => isSameOrInside(workspace.path, entry));
  if (passesWorkspace && !isSameOrInside(workspace.path, facts.place.path))
    throw homeRefusal('symbolicLink', path);
  const parent = await readPlace(dirname(facts.place.path));
  if (facts.kind === 'missing' && parent.ancestry[0] === '') throw homeRefusal('missing', path);
  return facts;
}

async function openHome(facts: FolderFacts, workspace: Place): Promise<SandboxSpecification['home']> {
  const { path } = facts.place;
  const isInWorkspace = isSameOrInside(workspace.path, path);
  const parent = await openFolder(dirname(path));
  try {
    const entry = entryPath(parent, basename(path));
    // a folder that the user chose elsewhere keeps its mode
    const chosen = facts.kind === 'folder' && !isInWorkspace;
    const home = await (chosen ? openFolder(entry, { ours: true }) : openPrivateFolder(entry));
    try {
      if (isInWorkspace) await writeIgnoreFiles(home);
      return { kind: 'folder', folder: { path, identity: identityOf(await home.stat({ bigint: true })) } };
    } finally {
      await home.close();
    }
  } finally {
    await parent.close();
  }
}

async function writeIgnoreFiles(home: FileHandle): Promise<void> {
  for (const name of ignoreFiles) {
    await createFile(entryPath(home, name), '*\n');
  }
}
