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
  /** programs on it can't be run, nor loaded as libraries */
  readonly noExecution: boolean;
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
        noExecution: options.split(',').includes('noexec'),
        readOnly: options.split(',').includes('ro') || superList.includes('ro'),
        fileSystem,
        source: unescapeOctal(source),
        superOptions: superList,
      },
    ];
  });
}

/** So many texts a verdict reads: the container's, the host's and that of Apptainer's starter. */
const keptTexts = 3;

/** A {@link parseMountinfo} that parses no text again that it has parsed lately: they rarely change. */
export function rememberingMountinfo(): (text: string) => readonly Mount[] {
  const parsed = new Map<string, readonly Mount[]>();
  return (text) => {
    const mounts = parsed.get(text) ?? parseMountinfo(text);
    // the one that was asked for last is the last
    parsed.delete(text);
    parsed.set(text, mounts);
    for (const oldest of parsed.keys()) {
      if (parsed.size <= keptTexts) break;
      parsed.delete(oldest);
    }
    return mounts;
  };
}

/** The kernel writes space, tab, newline and backslash as `\040` and the like (seq_file's mangle_path). */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}

/**
 * The paths under which the host sees what a mount of the container shows: one for each host mount of the same
 * superblock whose root holds the mount's root, the closest first. Several when the host mounts a file system twice.
 * Empty when the host mounts no such part of that superblock: then the file system is the container's own.
 */
export function hostPathsOf(mount: Mount, hostMounts: readonly Mount[]): string[] {
  return hostMounts
    .filter((host) => host.device === mount.device && isSameOrInside(host.root, mount.root))
    .sort((one, other) => other.root.length - one.root.length)
    .map((host) => {
      const below = host.root === '/' ? mount.root : mount.root.slice(host.root.length);
      const path = (host.mountPoint === '/' ? '' : host.mountPoint) + (below === '/' ? '' : below);
      return path || '/';
    });
}
