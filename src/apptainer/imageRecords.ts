import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { parseAs } from '../sandbox/parseAs';
import { finite } from '../sandbox/schemas';
import { readJson, writeWhole } from '../host/ownFiles';
import { makePrivateFolders } from '../host/privateFolders';
import { absolutePath, fileIdentity } from '../sandbox/specification';

/** What is known of an image that was pulled, built or chosen: a file of its own in extension storage. */
export const imageRecord = v.object({
  /** resolved */
  path: absolutePath,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** the file that was read for it */
  identity: fileIdentity,
  /** milliseconds since the epoch */
  recordedAt: finite,
  /** where it was pulled from, or the file that it was built from; missing for a file that was chosen */
  source: v.optional(v.pipe(v.string(), v.maxLength(2000))),
  /** of the manifest in the registry: `sha256:…` */
  digest: v.optional(v.pipe(v.string(), v.maxLength(200))),
  /** of the image on which this one was built: what its record said then */
  base: v.optional(
    v.object({
      source: v.pipe(v.string(), v.maxLength(2000)),
      digest: v.optional(v.pipe(v.string(), v.maxLength(200))),
    }),
  ),
  /** what `opencode --version` said in a sandbox without network; missing where there is none */
  opencodeVersion: v.optional(v.pipe(v.string(), v.maxLength(100))),
  apptainerVersion: v.optional(v.pipe(v.string(), v.maxLength(100))),
});
export type ImageRecord = v.InferOutput<typeof imageRecord>;

/** By which a record is found: a hash of the path of its image. */
const recordName = /^[0-9a-f]{64}\.json$/;
const maximumRecordBytes = 1 << 16;

/** In extension storage. */
const folderName = 'imageRecords';

/** The records of images in extension storage, which all windows share. */
export class ImageRecords {
  private readonly folder: string;

  /** @param storageDirectory of the extension; made at the first record when it is missing */
  constructor(private readonly storageDirectory: string) {
    this.folder = join(storageDirectory, folderName);
  }

  /** All records, the latest first. What is no record, or not ours, is left out. */
  async list(): Promise<ImageRecord[]> {
    const names = await readdir(this.folder).catch(() => []);
    const records = await Promise.all(
      names.filter((name) => recordName.test(name)).map((name) => this.readAt(join(this.folder, name))),
    );
    return records
      .filter((record) => record !== undefined)
      .sort((one, other) => other.recordedAt - one.recordedAt);
  }

  /** @param path resolved */
  async read(path: string): Promise<ImageRecord | undefined> {
    const record = await this.readAt(this.place(path));
    return record?.path === path ? record : undefined;
  }

  /** Writes a record, at once and whole, over the earlier one of the same path. */
  async write(record: ImageRecord): Promise<void> {
    await makePrivateFolders(this.storageDirectory, folderName);
    await writeWhole(this.place(record.path), JSON.stringify(parseAs(imageRecord, record)));
  }

  /** Forgets an image. */
  async remove(path: string): Promise<void> {
    await rm(this.place(path), { force: true });
  }

  private place(path: string): string {
    return join(this.folder, `${createHash('sha256').update(path).digest('hex')}.json`);
  }

  private readAt(place: string): Promise<ImageRecord | undefined> {
    return readJson(place, imageRecord, maximumRecordBytes);
  }
}
