import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createFile, openPrivateFolder, readSmallFile } from '../host/safeFiles';
import { type Contents, readPack, writePack } from './contentPack';
import { digest } from './examine';
import { finding } from './finding';
import { mark } from './mark';

/** What is known of one workspace between two looks at it. */
const guardState = z.object({
  workspace: z.string(),
  /** what the user knows, by the path below the workspace */
  marks: z.record(z.string(), mark),
  findings: z.array(finding),
  /** a sandbox ran when this was written: what it did since was not seen */
  isUnsettled: z.boolean(),
  /** the file system makes every file executable: that says nothing there */
  ignoresExecutables: z.boolean(),
});
export type GuardState = z.infer<typeof guardState>;

const stateName = 'state.json';
const packName = 'contents.pack';
/** 20,000 marks of 4 KB at most, and far fewer in earnest */
const maximumStateBytes = 64 * 1024 * 1024;
/** of all contents that are kept for comparisons */
const maximumKeptBytes = 16 * 1024 * 1024;
const contentName = /^[0-9a-f]{64}$/;

/** Keeps what is known of one workspace in extension storage, in a folder of its own, 0700. */
export class GuardStore {
  private keptBytes = 0;

  private constructor(private readonly directory: string) {}

  /** @param storageDirectory of the extension @param workspace real path */
  static async open(storageDirectory: string, workspace: string): Promise<GuardStore> {
    await mkdir(storageDirectory, { recursive: true, mode: 0o700 });
    let directory = storageDirectory;
    for (const name of ['guard', digest(workspace).slice(0, 32)]) {
      directory = join(directory, name);
      await (await openPrivateFolder(directory)).close();
    }
    for (const name of ['contents', 'quarantine']) {
      await (await openPrivateFolder(join(directory, name))).close();
    }
    return new GuardStore(directory);
  }

  /** Where `guard/quarantine.ts` keeps what it takes away. */
  get quarantineDirectory(): string {
    return join(this.directory, 'quarantine');
  }

  /** @returns undefined when nothing is known, or nothing that this version understands */
  async read(): Promise<GuardState | undefined> {
    try {
      const content = await readSmallFile(join(this.directory, stateName), maximumStateBytes, { ours: true });
      return guardState.safeParse(JSON.parse(content.toString())).data;
    } catch {
      return undefined;
    }
  }

  /** Writes the state, at once and whole. */
  async write(state: GuardState): Promise<void> {
    const temporary = join(this.directory, `${stateName}.${randomBytes(8).toString('hex')}`);
    await createFile(temporary, JSON.stringify(state));
    await rename(temporary, join(this.directory, stateName));
  }

  /** Keeps a content for later comparisons, while there is room. @returns its name, undefined when it is not kept */
  async keep(content: Buffer): Promise<string | undefined> {
    const name = digest(content);
    if (this.keptBytes + content.length > maximumKeptBytes) return undefined;
    if (await createFile(join(this.directory, 'contents', name), content)) this.keptBytes += content.length;
    return name;
  }

  /**
   * Keeps all contents of a look at once, in the place of what was kept before.
   * @param news what was read, by its sha256
   * @param used the names of all that is still to be compared with
   */
  async keepAll(news: Contents, used: ReadonlySet<string>): Promise<void> {
    const pack = join(this.directory, packName);
    const earlier = await readPack(pack);
    const contents = new Map<string, Buffer>();
    let bytes = 0;
    for (const name of used) {
      const content = news.get(name) ?? earlier.get(name) ?? (await this.keptAlone(name));
      if (content && bytes + content.length <= maximumKeptBytes) {
        bytes += content.length;
        contents.set(name, content);
      }
    }
    await writePack(pack, contents);
    const folder = join(this.directory, 'contents');
    await Promise.all((await readdir(folder)).map((name) => rm(join(folder, name), { force: true })));
    this.keptBytes = bytes;
  }

  /** A content that was kept. */
  async kept(name: string): Promise<Buffer | undefined> {
    return (await this.keptAlone(name)) ?? (await readPack(join(this.directory, packName))).get(name);
  }

  private async keptAlone(name: string): Promise<Buffer | undefined> {
    if (!contentName.test(name)) return undefined;
    return readSmallFile(join(this.directory, 'contents', name), maximumKeptBytes, { ours: true }).catch(
      () => undefined,
    );
  }
}
