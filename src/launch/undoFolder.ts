import { join } from 'node:path';
import { settingKeys, settingName } from '../contributions';
import { readPlace } from '../host/folderFacts';
import { message } from '../sandbox/message';
import { contains, isSameOrInside, type Place } from '../sandbox/paths';
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
export function undoPlace(settings: UndoSettings, storageDirectory: string): { parent: string; name: string } {
  return settings.folder === ''
    ? { parent: storageDirectory, name: storageName }
    : { parent: settings.folder, name: chosenName };
}

/**
 * What a sandbox keeps so that it can be undone.
 * @param directory the folder of all snapshots, as it is made
 * @throws UserError when the agent could reach it
 */
export async function undoSpecification(
  settings: UndoSettings,
  directory: string,
  workspace: Place,
  home: SandboxSpecification['home'],
): Promise<UndoSpecification> {
  const store = await readPlace(directory);
  const reached = home.kind === 'folder' ? [workspace, await readPlace(home.folder.path)] : [workspace];
  if (reached.some((place) => contains(place, store) || contains(store, place))) {
    throw new UserError(
      'undo.inReach',
      message('The agent can write in {0}, so what is needed to undo its changes must be kept elsewhere.', directory),
      { kind: 'openSetting', setting: settingName(settingKeys.undoFolder) },
    );
  }
  const { maximumBytes, respectsIgnoreFiles } = settings;
  return { directory, maximumBytes, respectsIgnoreFiles, closed: homesBelow(workspace.path, home) };
}

/** The agent's memory is not undone: a home in the folder, and the one of other sandboxes of it. */
function homesBelow(workspace: string, home: SandboxSpecification['home']): string[] {
  const usual = 'agent-home';
  if (home.kind !== 'folder' || !isSameOrInside(workspace, home.folder.path)) return [usual];
  return [...new Set([usual, home.folder.path.slice(join(workspace, '/').length)])];
}
