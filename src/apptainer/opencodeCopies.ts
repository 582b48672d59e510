import { constants } from 'node:fs';
import { lstat, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { identityOf } from '../host/fileIdentity';
import { fileSystemKindOf, nearestFolder } from '../host/fileSystemKind';
import { allows } from '../host/folderFacts';
import { hashFile, isSameContent } from '../host/hashFile';
import { readJson, writeWhole } from '../host/ownFiles';
import { listProc, readProc } from '../host/procfs';
import { isWithoutExecution } from '../host/temporaryFolder';
import {
  type CopyFacts,
  isAsRecorded,
  isCopyDestination,
  isMountedIn,
  type OpencodeCopyRecord,
  opencodeCopyRecord,
} from '../sandbox/opencodeCopy';
import { isSameOrInside } from '../sandbox/paths';
import { parseAs } from '../sandbox/parseAs';
import type { IdentifiedPath, SandboxSpecification } from '../sandbox/specification';
import { failurePath } from './copyFailures';
import { type ImageRecord, ImageRecords } from './imageRecords';

const maximumRecordBytes = 4096;
const copyName = /^([0-9a-f]{64})\.(?:opencode|failed)$/;
/** After so long without a start a copy that another editor made is nobody's. */
const unusedMilliseconds = 30 * 24 * 60 * 60 * 1000;

/**
 * Where copies can be in place of extension storage: folders of this computer alone, which are ours, 0700, or not used.
 * What is in /var/tmp survives a restart (Filesystem Hierarchy Standard 3.0, 5.15).
 */
export function localCopyFolders(uid: number): string[] {
  return ['/var/tmp', '/tmp'].map((parent) => join(parent, `sandboxed-agent-opencode-${uid}`));
}

/**
 * The folder for copies: in extension storage, or on a disk of this computer when that is on a network, whose files are
 * as slow as the image, and where other computers could write.
 * @returns undefined when there is none from which programs may be run
 */
export async function copyFolder(storageDirectory: string, uid: number): Promise<string | undefined> {
  const inStorage = join(storageDirectory, 'opencode');
  const mountinfo = readProc('self/mountinfo') ?? '';
  for (const folder of [inStorage, ...localCopyFolders(uid)]) {
    const nearest = await nearestFolder(folder);
    const kind = await fileSystemKindOf(nearest).catch(() => 'network');
    // storage that is in memory is where somebody wanted it
    const isGood = kind === 'disk' || (kind === 'memory' && folder === inStorage);
    if (isGood && !isWithoutExecution(nearest, mountinfo)) return folder;
  }
  return undefined;
}

/**
 * Finds the copy for an image at a start.
 * @param request the image as it is now, and a path over which nothing is put
 * @returns undefined when there is none that is as it was recorded: then the image's own is run
 */
export async function findOpencodeCopy(request: {
  readonly storageDirectory: string;
  readonly uid: number;
  readonly image: IdentifiedPath;
  readonly workspace: string;
}): Promise<SandboxSpecification['opencodeCopy']> {
  const { storageDirectory, uid, image, workspace } = request;
  const record = await new ImageRecords(storageDirectory).read(image.path).catch(() => undefined);
  if (record === undefined || !isSameContent(record.identity, image.identity)) return undefined;
  const folder = await copyFolder(storageDirectory, uid).catch(() => undefined);
  return folder === undefined ? undefined : new OpencodeCopies(folder, uid).find(record, workspace);
}

/** Copies of the opencode of images, in one folder. What is not as it was recorded counts as if it were not there. */
export class OpencodeCopies {
  /** @param folder of {@link copyFolder}; it need not exist */
  constructor(
    readonly folder: string,
    private readonly uid: number,
  ) {}

  /**
   * The copy for an image, after a look at the file and its folder; it is not read.
   * @param image the record of the very file that will be started
   * @param workspace its path: nothing is put over what lies in it
   */
  async find(
    image: Pick<ImageRecord, 'sha256'>,
    workspace?: string,
  ): Promise<SandboxSpecification['opencodeCopy']> {
    const record = await this.readRecord(image.sha256).catch(() => undefined);
    if (record === undefined || !isCopyDestination(record.destination, workspace)) return undefined;
    const path = this.pathOf(image.sha256);
    const facts = await readCopyFacts(path).catch(() => undefined);
    if (facts === undefined || !isAsRecorded(facts, record, this.uid)) return undefined;
    if (!(await this.isFolderOurs())) return undefined;
    // access(2) says no on a file system that was mounted with noexec
    if (!(await allows(path, constants.R_OK | constants.X_OK))) return undefined;
    return { path, destination: record.destination, identity: facts.identity };
  }

  /**
   * Reads a copy and compares it with its record; one that does not hold what it should is removed. The record gets
   * the present time: it is used.
   * @returns false when it was removed
   */
  async verify(image: Pick<ImageRecord, 'sha256'>, signal?: AbortSignal): Promise<boolean> {
    const record = await this.readRecord(image.sha256);
    const { sha256 } = await hashFile(this.pathOf(image.sha256), signal);
    if (sha256 !== record?.sha256) {
      await this.remove(image.sha256);
      return false;
    }
    const now = new Date();
    await utimes(this.recordPath(image.sha256), now, now);
    return true;
  }

  /** Records a copy that is complete and has its name. */
  async record(known: Pick<OpencodeCopyRecord, 'imageSha256' | 'destination' | 'sha256'>): Promise<void> {
    const { identity, modifiedTime } = await readCopyFacts(this.pathOf(known.imageSha256));
    const record = parseAs(opencodeCopyRecord, { ...known, identity, modifiedTime, madeAt: Date.now() });
    await writeWhole(this.recordPath(known.imageSha256), JSON.stringify(record));
  }

  /**
   * Removes copies of all images but these, except those that a sandbox still runs.
   * @param known what the extension of this editor has records of
   * @param storageDirectory of the extension: outside of it other editors have their copies, too
   */
  async removeOthers(known: readonly Pick<ImageRecord, 'sha256'>[], storageDirectory: string): Promise<void> {
    const isShared = !isSameOrInside(storageDirectory, this.folder);
    for (const name of await readdir(this.folder)) {
      const sha256 = copyName.exec(name)?.[1];
      if (sha256 === undefined || known.some((image) => image.sha256 === sha256)) continue;
      if (isShared && (await this.wasUsedLately(sha256))) continue;
      if (!isMounted(this.pathOf(sha256))) await this.remove(sha256);
    }
  }

  /** Whether a copy was, or none could be made: that is for the other editor to know, too. */
  private async wasUsedLately(imageSha256: string): Promise<boolean> {
    const paths = [this.recordPath(imageSha256), failurePath(this.folder, imageSha256)];
    const all = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
    return all.some((stats) => stats !== undefined && Date.now() - stats.mtimeMs < unusedMilliseconds);
  }

  /** Removes the copy for an image, and what is known of making one. */
  async remove(imageSha256: string): Promise<void> {
    // first what makes it count
    const paths = [this.recordPath(imageSha256), this.pathOf(imageSha256)];
    for (const path of [...paths, failurePath(this.folder, imageSha256)]) {
      await rm(path, { force: true });
    }
  }

  /** Where the copy for an image is, or will be. */
  pathOf(imageSha256: string): string {
    return join(this.folder, `${imageSha256}.opencode`);
  }

  private recordPath(imageSha256: string): string {
    return join(this.folder, `${imageSha256}.json`);
  }

  private async readRecord(imageSha256: string): Promise<OpencodeCopyRecord | undefined> {
    const record = await readJson(this.recordPath(imageSha256), opencodeCopyRecord, maximumRecordBytes);
    return record?.imageSha256 === imageSha256 ? record : undefined;
  }

  private async isFolderOurs(): Promise<boolean> {
    const stats = await lstat(this.folder);
    return stats.isDirectory() && stats.uid === this.uid && (stats.mode & 0o777) === 0o700;
  }
}

async function readCopyFacts(path: string): Promise<CopyFacts> {
  const stats = await lstat(path, { bigint: true });
  return {
    identity: identityOf(stats),
    modifiedTime: String(stats.mtimeNs),
    isFile: stats.isFile(),
    owner: Number(stats.uid),
    mode: Number(stats.mode & 0o7777n),
    links: Number(stats.nlink),
  };
}

/** Whether some process of ours on this computer has it mounted: folders for copies are of this computer alone. */
function isMounted(path: string): boolean {
  const pids = (listProc('') ?? []).filter((name) => /^\d+$/.test(name));
  return pids.some((pid) => isMountedIn(readProc(`${pid}/mountinfo`) ?? '', path));
}
