import { join } from 'node:path';
import { settingKeys, settingName } from '../contributions';
import { readPlace } from '../host/folderFacts';
import { message } from '../sandbox/message';
import { agentHomeName, contains, isSameOrInside, type Place } from '../sandbox/paths';
import type { SandboxSpecification, UndoSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';

/** What the settings say of undoing. */
export interface UndoSettings {
  /** where snapshots are kept; empty: in extension storage */
  readonly folder: string;
  /** of all contents of one snapshot; 0: nothing is kept, and nothing can be undone */
  readonly maximumBytes: number;
  readonly respectsIgnoreFiles: boolean;
}

/** Where snapshots are kept, in extension storage or in the folder that the user has chosen. */
const storageName = 'snapshots';
const chosenName = 'sandboxed-agent-snapshots';

/** Where the folder of all snapshots is to be made, and how it is called there. */
export function undoPlace(
  settings: UndoSettings,
  storageDirectory: string,
): { parent: string; name: string } {
  return settings.folder === ''
    ? { parent: storageDirectory, name: storageName }
    : { parent: settings.folder, name: chosenName };
}

/** What the part for undoing depends on. */
export interface UndoParts {
  readonly workspace: Place;
  /** of the window, all of them: other agents can work in the others */
  readonly workspaces: readonly Place[];
  readonly home: SandboxSpecification['home'];
  /** makes a private folder @returns its resolved path @throws UserError */
  readonly makeFolder: (parent: string, name: string) => Promise<string>;
}

/**
 * What a sandbox keeps so that it can be undone, as a part of its specification; the folder for it is made. Where nothing
 * is to be kept that is for the note that a sandbox runs.
 * @returns nothing when that can't be kept, either
 * @throws UserError when the agent could reach it
 */
export async function undoPart(
  request: { readonly settings: { readonly undo?: UndoSettings }; readonly storageDirectory: string },
  parts: UndoParts,
): Promise<Pick<SandboxSpecification, 'undo'>> {
  const { undo } = request.settings;
  if (undo === undefined) return {};
  try {
    return { undo: await undoSpecification(undo, request.storageDirectory, parts) };
  } catch (error) {
    // nothing can be undone, whatever there is
    if (undo.maximumBytes === 0 && error instanceof UserError) return {};
    throw error;
  }
}

async function undoSpecification(
  undo: UndoSettings,
  storageDirectory: string,
  { workspace, workspaces, home, makeFolder }: UndoParts,
): Promise<UndoSpecification> {
  const { parent, name } = undoPlace(undo, storageDirectory);
  const homes = home.kind === 'folder' ? [await readPlace(home.folder.path)] : [];
  const reached = [...workspaces, ...homes];
  // before anything is made there
  await requireOutOfReach(parent, reached);
  const directory = await makeFolder(parent, name);
  await requireOutOfReach(directory, reached);
  const { maximumBytes, respectsIgnoreFiles } = undo;
  const closed = homesBelow(workspace.path, home);
  return { directory, maximumBytes, respectsIgnoreFiles, closed };
}

async function requireOutOfReach(path: string, reached: readonly Place[]): Promise<void> {
  const store = await readPlace(path);
  if (reached.some((place) => contains(place, store))) {
    throw new UserError(
      'undo.inReach',
      message(
        'The agent can write in {0}, so what is needed to undo its changes must be kept elsewhere.',
        path,
      ),
      { kind: 'openSetting', setting: settingName(settingKeys.undoFolder) },
    );
  }
}

/** The agent's memory is not undone: a home in the folder, and the one of other sandboxes of it. */
function homesBelow(workspace: string, home: SandboxSpecification['home']): string[] {
  if (home.kind !== 'folder' || !isSameOrInside(workspace, home.folder.path)) return [agentHomeName];
  return [...new Set([agentHomeName, home.folder.path.slice(join(workspace, '/').length)])];
}
