import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hostPathsOf, type Mount } from '../../sandbox/mountinfo';
import { isSameOrInside } from '../../sandbox/paths';
import type { Exposure } from '../seen';

/**
 * What the kernel's mounts say of a path of the host: whether programs of a sandbox can come to it under any name,
 * whatever they say of that themselves. What another mount lies upon can't be reached.
 *
 * @param path need not be there
 * @param mounts of the sandbox @param hostMounts of ourselves
 */
export function exposureOf(path: string, mounts: readonly Mount[], hostMounts: readonly Mount[]): Exposure {
  const real = realPathOf(path);
  const shown = mounts.filter((mount) =>
    hostPathsOf(mount, hostMounts).some((folder) => {
      if (!isSameOrInside(folder, real)) return false;
      const below = real.slice(folder === '/' ? 0 : folder.length);
      return topMost(join(mount.mountPoint, below), mounts) === mount;
    }),
  );
  if (shown.length === 0) return 'none';
  return shown.some(({ readOnly }) => !readOnly) ? 'writable' : 'readOnly';
}

/** Of the mounts below which a path is the closest, and of those on the same place the last. */
function topMost(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts
    .filter(({ mountPoint }) => isSameOrInside(mountPoint, path))
    .reduce<Mount | undefined>(
      (top, mount) => (top && top.mountPoint.length > mount.mountPoint.length ? top : mount),
      undefined,
    );
}

/** Of what is there of it. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === '/' ? path : join(realPathOf(dirname(path)), basename(path));
  }
}
