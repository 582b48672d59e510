import { isSameOrInside } from './paths';
import type { IdentifiedPath, SandboxSpecification } from './specification';

/** What a sandbox can write of the host, as far as others count. All paths absolute and resolved. */
export interface WrittenFolders {
  readonly workspace: string;
  /** of its agent, empty for one in memory */
  readonly home: string;
  /** that home, and those of other agents in the workspace */
  readonly homes: readonly IdentifiedPath[];
}

/** What a sandbox of this specification can write. */
export function writtenFolders({
  workspace,
  home,
  otherHomes = [],
}: Pick<SandboxSpecification, 'home' | 'otherHomes'> & {
  readonly workspace: Pick<IdentifiedPath, 'path'>;
}): WrittenFolders {
  return home.kind === 'folder'
    ? { workspace: workspace.path, home: home.folder.path, homes: [home.folder, ...otherHomes] }
    : { workspace: workspace.path, home: '', homes: otherHomes };
}

/** The homes in the workspace, without those that lie in another. In the sandbox an empty folder lies over each. */
export function coveredHomes({ workspace, homes }: WrittenFolders): IdentifiedPath[] {
  const below = homes.filter(({ path }) => isBelow(workspace, path));
  return below.filter(({ path }) => !below.some((other) => isBelow(other.path, path)));
}

/** Whether `path` lies in `folder` and is another. Both absolute and resolved. */
export function isBelow(folder: string, path: string): boolean {
  return path !== folder && isSameOrInside(folder, path);
}
