import { lstat } from 'node:fs/promises';
import type { Environment } from '../sandbox/hostEnvironment';
import { fileSystemKindOf } from './fileSystemKind';

const temporaryFolder = '/tmp';

/**
 * Where run directories may be made, in the order to try: the user's runtime folder, if it is what its specification
 * promises (ours, closed to others; https://specifications.freedesktop.org/basedir-spec/latest/) and on this
 * machine, then /tmp.
 */
export async function findRunDirectoryParents(environment: Environment): Promise<string[]> {
  const runtimeFolder = environment['XDG_RUNTIME_DIR'];
  if (runtimeFolder === undefined || !(await isPrivateAndLocal(runtimeFolder))) return [temporaryFolder];
  return [runtimeFolder, temporaryFolder];
}

async function isPrivateAndLocal(folder: string): Promise<boolean> {
  if (!folder.startsWith('/')) return false;
  try {
    const stats = await lstat(folder);
    if (!stats.isDirectory() || stats.uid !== process.geteuid?.() || (stats.mode & 0o077) !== 0) return false;
    return (await fileSystemKindOf(folder)) !== 'network';
  } catch {
    return false;
  }
}
