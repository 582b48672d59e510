import { isSameOrInside } from './paths';

/** One line of /proc/PID/mountinfo (proc_pid_mountinfo(5)). */
export interface Mount {
  readonly id: number;
  /** `major:minor` of the superblock */
  readonly device: string;
  /** the folder or file of that file system that is mounted */
  readonly root: string;
  readonly mountPoint: string;
  readonly readOnly: boolean;
  readonly fileSystem: string;
  readonly source: string;
  /** options of the superblock, for example `lowerdir=…` of an overlay */
  readonly superOptions: readonly string[];
}

/** Parses /proc/PID/mountinfo. Lines that are not mounts are left out. */
export function parseMountinfo(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [left = '', right = ''] = line.split(' - ');
    const [id, , device, root, mountPoint, options] = left.split(' ');
    const [fileSystem = '', source = '', superOptions = ''] = right.split(' ');
    if (!id || !device || !root || !mountPoint || !options) {
      return [];
    }
    const superList = superOptions.split(',');
    return [
      {
        id: Number(id),
        device,
        root: unescapeOctal(root),
        mountPoint: unescapeOctal(mountPoint),
        // a read-only superblock shows `rw` in the mount's own options
        readOnly: options.split(',').includes('ro') || superList.includes('ro'),
        fileSystem,
        source: unescapeOctal(source),
        superOptions: superList,
      },
    ];
  });
}

/** The kernel writes space, tab, newline and backslash as `\040` and the like (seq_file's mangle_path). */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}

/**
 * The path under which the host sees what a mount of the container shows: the host's mount of the same superblock
 * whose root is the longest prefix of the mount's root. `undefined` when the host mounts no part of that superblock
 * that contains it (then the file system is the container's own, or one that the host sees under another device).
 */
export function hostPathOf(mount: Mount, hostMounts: readonly Mount[]): string | undefined {
  const holders = hostMounts.filter(
    (host) => host.device === mount.device && isSameOrInside(host.root, mount.root),
  );
  const holder = holders.reduce<Mount | undefined>(
    (best, host) => (best && best.root.length >= host.root.length ? best : host),
    undefined,
  );
  if (!holder) {
    return undefined;
  }
  const below = holder.root === '/' ? mount.root : mount.root.slice(holder.root.length);
  const path = (holder.mountPoint === '/' ? '' : holder.mountPoint) + (below === '/' ? '' : below);
  return path || '/';
}
