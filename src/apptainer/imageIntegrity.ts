import { commandIds } from '../contributions';
import { identify } from '../host/fileIdentity';
import { type FileDigest, hashFile, isSameContent } from '../host/hashFile';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import type { ImageRecord, ImageRecords } from './imageRecords';

/**
 * Refuses an image that is not the one that was recorded. As long as the file itself is the same, this costs one look
 * at it; only one that was touched is read. Of an image without a record nothing can be said: {@link recordImage} makes
 * one when there is time.
 * @param path resolved
 * @throws UserError `image.changed`
 */
export async function refuseChangedImage(
  records: ImageRecords,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const record = await records.read(path);
  if (record === undefined || isSameContent(record.identity, await identify(path))) return;
  const { sha256, identity } = await hashFile(path, signal);
  if (sha256 !== record.sha256) throw changed(record);
  // a copy with the same content, or only its times or permissions are others
  await records.write({ ...record, identity });
}

/** Whether the file at the path of a record is, by its looks, still the one that was recorded. */
export async function imageState(record: ImageRecord): Promise<'same' | 'touched' | 'missing'> {
  return identify(record.path).then(
    (identity) => (isSameContent(record.identity, identity) ? 'same' : 'touched'),
    () => 'missing',
  );
}

/**
 * Records an image as it is now, over what was known of its path. This is what makes the present content the right
 * one, so it is for an image that has no record, or that the user has just chosen.
 */
export async function recordImage(
  records: ImageRecords,
  path: string,
  known: Partial<Omit<ImageRecord, 'path' | 'sha256' | 'identity' | 'recordedAt'>>,
  signal?: AbortSignal,
): Promise<ImageRecord> {
  const record = { ...known, path, ...(await hashFile(path, signal)), recordedAt: Date.now() };
  await records.write(record);
  return record;
}

/**
 * Records an image that was looked at before it got its name, which changes when the file was changed (ctime).
 * @param inspected what it was then
 * @returns undefined when another window has put its own in that place meanwhile
 */
export async function recordMadeImage(
  records: ImageRecords,
  path: string,
  known: Partial<Omit<ImageRecord, 'path' | 'sha256' | 'identity' | 'recordedAt'>>,
  { sha256, identity: before }: FileDigest,
): Promise<ImageRecord | undefined> {
  const identity = await identify(path);
  if (identity.inode !== before.inode || identity.size !== before.size) return undefined;
  const record = { ...known, path, sha256, identity, recordedAt: Date.now() };
  await records.write(record);
  return record;
}

/**
 * Adds to the record of an image what was found out about it later, unless another window has recorded another image at
 * the same path meanwhile.
 * @param made the record that was written before
 * @returns the record as it is now
 */
export async function recordDigest(
  records: ImageRecords,
  made: ImageRecord,
  digest: string | undefined,
): Promise<ImageRecord | undefined> {
  const present = await records.read(made.path);
  if (digest === undefined || present?.sha256 !== made.sha256) return present;
  const record = { ...present, digest };
  await records.write(record);
  return record;
}

function changed({ path, recordedAt }: ImageRecord): UserError {
  return new UserError(
    'image.changed',
    message(
      'The image {0} is not the file any more that was recorded on {1}. If you know why, choose it again; else pull it again.',
      path,
      new Date(recordedAt).toLocaleString(),
    ),
    { kind: 'runCommand', command: commandIds.selectImage },
  );
}
