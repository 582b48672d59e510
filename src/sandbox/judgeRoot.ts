import type { ContainerFacts } from './facts';
import type { Expectation } from './launchPlan';
import { message } from './message';
import type { Mount } from './mountinfo';
import { isSameOrInside } from './paths';
import type { VerdictLine } from './verdict';

function rootOf(facts: ContainerFacts): Mount | undefined {
  // a later mount at / lies over an earlier one
  return facts.mounts.findLast((mount) => mount.mountPoint === '/');
}

function lowerFolders(root: Mount): string[] {
  const option = root.superOptions.find((candidate) => candidate.startsWith('lowerdir='));
  return option ? option.slice('lowerdir='.length).split(':') : [];
}

/** Whether the container's root is a read-only overlay of the image, with no folder of the host to write to. */
export function judgeRootFileSystem(facts: ContainerFacts): VerdictLine {
  const fact = 'rootFileSystem';
  const root = rootOf(facts);
  if (!root) {
    return { fact, status: 'broken', detail: message('no root file system could be read') };
  }
  const upper = root.superOptions.find((option) => option.startsWith('upperdir='));
  if (!root.readOnly || upper) {
    return { fact, status: 'broken', detail: message('the image’s root is writable') };
  }
  return root.fileSystem === 'overlay'
    ? { fact, status: 'holds', detail: message('read-only') }
    : {
        fact,
        status: 'broken',
        detail: message('the root is {0}, not an overlay of the image', root.fileSystem),
      };
}

/**
 * Whether the root is served from the very image file that was checked: one lower folder is a squashfuse mount in
 * the starter's namespace, whose server holds that file open; the others are the starter's own empty memory.
 * Measured with Apptainer 1.4.5: `overlay-lowerdir` (tmpfs, mount points only) over `rootfs` (fuse.squashfuse_ll).
 */
export function judgeImage(facts: ContainerFacts, { image }: Expectation): VerdictLine {
  const fact = 'image';
  const root = rootOf(facts);
  const servers = facts.imageServers;
  const server = servers[0];
  if (!server) {
    return {
      fact,
      status: 'broken',
      detail: message('the program that serves the image to the container has ended'),
    };
  }
  if (!root || servers.length !== 1) {
    return {
      fact,
      status: 'broken',
      detail: message('{0} images are served instead of one', servers.length),
    };
  }
  const lower = lowerFolders(root);
  const isServed = lower.at(-1) === server.mountPoint && holds(facts, server.mountPoint, 'fuse');
  const restIsMemory = lower.slice(0, -1).every((folder) => holds(facts, folder, 'tmpfs'));
  if (!isServed || !restIsMemory) {
    return { fact, status: 'broken', detail: message('the root does not come from the image alone') };
  }
  const present = server.image;
  const isChecked =
    present?.device === image.device &&
    present.inode === image.inode &&
    present.size === image.size &&
    present.changedTime === image.changedTime;
  return isChecked
    ? { fact, status: 'holds', detail: message('the file that was checked (inode {0})', image.inode) }
    : {
        fact,
        status: 'broken',
        detail: message('the image is not, or no longer, the file that was checked'),
      };
}

/** Whether `folder` lies on a file system of this kind in the starter's mount namespace. */
function holds({ starterMounts }: ContainerFacts, folder: string, kind: 'fuse' | 'tmpfs'): boolean {
  const holder = starterMounts
    .filter(({ mountPoint }) => isSameOrInside(mountPoint, folder))
    .reduce<Mount | undefined>(
      (best, mount) => (best && best.mountPoint.length > mount.mountPoint.length ? best : mount),
      undefined,
    );
  return holder !== undefined && (holder.fileSystem === kind || holder.fileSystem.startsWith(`${kind}.`));
}
