import type { RefusedFolder } from '../apptainer/choosePullFolders';
import type { FileSystemKind } from '../host/fileSystemKind';
import type { ProgramVersion } from '../apptainer/version';
import type { StartFailure } from '../sandbox/startFailures';
import type { UserError } from '../sandbox/userError';
import type { Distribution } from './distribution';
import type { SiteConfiguration } from './siteConfiguration';

/** Programs that Apptainer runs to mount or make images. */
export const helperNames = ['squashfuse', 'unsquashfs', 'mksquashfs', 'fuse-overlayfs'] as const;
export type HelperName = (typeof helperNames)[number];

export interface FoundProgram {
  readonly kind: 'found';
  readonly path: string;
  readonly version: ProgramVersion;
  /** whether its administrator let it start containers as root */
  readonly isSetuid: boolean;
  /** what of its helpers it can find */
  readonly helpers: readonly HelperName[];
  /** undefined where it can't be read */
  readonly configuration: SiteConfiguration | undefined;
}

/** What the kernel lets an ordinary user do; undefined where it has no such switch. */
export interface UserNamespaceFacts {
  /** /proc/sys/user/max_user_namespaces */
  readonly maximum: number | undefined;
  /** /proc/sys/kernel/unprivileged_userns_clone, which Debian's kernels have */
  readonly unprivilegedClone: number | undefined;
  /** /proc/sys/kernel/apparmor_restrict_unprivileged_userns, which Ubuntu's kernels have */
  readonly appArmorRestriction: number | undefined;
  /** a profile of AppArmor that is made for Apptainer exists */
  readonly hasAppArmorProfile: boolean;
}

/** For what a folder is. */
export type FolderRole = 'images' | 'cache' | 'temporary' | 'agentHome' | 'workspace';

export interface FolderSpace {
  readonly role: FolderRole;
  readonly path: string;
  readonly freeBytes: number;
  readonly fileSystem: FileSystemKind;
  /** how people call the file system; may be empty */
  readonly fileSystemName: string;
  /** whether the user's share of it is used up, as far as that was tried */
  readonly isQuotaUsedUp: boolean;
  /** its file system lets no program be run (the option `noexec`) */
  readonly forbidsPrograms: boolean;
}

/** What a start of a container came to, which is worth more than every other fact. */
export type Trial =
  | { readonly kind: 'notTried' }
  | { readonly kind: 'works'; readonly milliseconds: number }
  | { readonly kind: 'failed'; readonly failure: StartFailure };

/** What every sandbox needs of the kernel. */
export interface KernelFacts {
  readonly userNamespaces: UserNamespaceFacts;
  /** whether /dev/fuse can be opened */
  readonly fuse: 'usable' | 'missing' | 'forbidden';
  /** whether the kernel filters system calls */
  readonly hasSeccomp: boolean;
}

/** Everything that a check of the setup is made from. */
export interface SetupFacts extends KernelFacts {
  /** `process.platform` */
  readonly platform: string;
  /** `process.arch` */
  readonly architecture: string;
  readonly userId: number;
  readonly distribution: Distribution;
  readonly apptainer: FoundProgram | { readonly kind: 'unusable'; readonly error: UserError };
  /** whether Debian's package tools are there, with which Apptainer can be unpacked without root */
  readonly hasApt: boolean;
  /** other programs called `apptainer`, which nobody has chosen */
  readonly candidates: readonly string[];
  readonly folders: readonly FolderSpace[];
  /** those that were chosen for pulls and builds and can't be used */
  readonly refusedFolders: readonly RefusedFolder[];
  /** the path of the image, or why it can't be used */
  readonly image:
    | { readonly kind: 'ready'; readonly path: string }
    | { readonly kind: 'unusable'; readonly error: UserError };
  readonly trial: Trial;
}
