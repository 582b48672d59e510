import { lstat } from 'node:fs/promises';
import { identityOf } from '../host/fileIdentity';
import { findAgentHome } from '../opencode/agentHome';
import { isBelow } from '../sandbox/agentHomes';
import type { IdentifiedPath, SandboxSpecification } from '../sandbox/specification';
import type { OtherSandbox } from '../supervisor/otherSandboxes';

/**
 * The folders in a workspace that are homes of other agents than the one that is being started: the one that is usual,
 * the one that the user has chosen, and those of sandboxes that run. What does not exist is none, and nothing is made.
 * @param workspace real path
 * @param setting `agentHome`
 */
export async function findOtherHomes(
  workspace: string,
  home: SandboxSpecification['home'],
  setting = 'workspace',
  others: readonly OtherSandbox[] = [],
): Promise<IdentifiedPath[]> {
  const settings = ['workspace', ...(setting.startsWith('/') ? [setting] : [])];
  const chosen = await Promise.all(settings.map((each) => findAgentHome({ workspace, setting: each })));
  const used = others.map(({ entry }) => entry.home ?? '');
  const own = home.kind === 'folder' ? home.folder.path : undefined;
  const paths = new Set([...chosen.flatMap((path) => path ?? []), ...used]);
  const below = [...paths].filter((path) => path !== '' && path !== own && isBelow(workspace, path));
  return (await Promise.all(below.map(identifiedFolder))).flat();
}

async function identifiedFolder(path: string): Promise<IdentifiedPath[]> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  return stats?.isDirectory() === true ? [{ path, identity: identityOf(stats) }] : [];
}
