import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as vscode from 'vscode';
import { buildImage } from '../../apptainer/build';
import { isLocalBase, readDefinition, refuseDefinition } from '../../apptainer/definitionFile';
import { recordMadeImage } from '../../apptainer/imageIntegrity';
import type { ImageRecord } from '../../apptainer/imageRecords';
import { baseOf } from '../../apptainer/imageUpdate';
import { type FileDigest, hashFile } from '../../host/hashFile';
import type { Environment } from '../../sandbox/hostEnvironment';
import { isSameOrInside } from '../../sandbox/paths';
import { Cancelled } from '../../sandbox/userError';
import { type AskedDefinition, buildQuestion } from './buildQuestion';
import { type Images, setImage } from './images';
import { pullEnvironmentOf } from './pullEnvironment';
import type { Log } from '../log';
import { withProgress } from '../progress';
import type { Say } from '../say';
import { translate } from '../translate';
import { realPathOf } from '../window';

export interface ImageBuilderOptions {
  readonly storageDirectory: string;
  readonly environment: Environment;
  /** folders to load node-pty from */
  readonly ptyModules: readonly string[];
  /** of this extension's own definition files */
  readonly definitionsDirectory: string;
  readonly images: Images;
  readonly log: Pick<Log, 'info' | 'show'>;
  readonly say: Pick<Say, 'choose'>;
}

/** One image that somebody wants to build. */
export interface BuildWish {
  /** the text of a definition file */
  readonly definition: string;
  /** path of the file that it is from; none for one that this extension wrote */
  readonly file?: string;
  /** for the file of the image: letters alone */
  readonly name: string;
  /** from what it is built, for its record */
  readonly source: string;
}

/** Builds images and makes them those of all sandboxes. */
export class ImageBuilder {
  private building = false;

  constructor(private readonly options: ImageBuilderOptions) {}

  /** One of the definition files that come with this extension. @param name without its ending */
  async ownDefinition(name: 'agent' | 'scientific'): Promise<string> {
    return readFile(join(this.options.definitionsDirectory, `${name}.def`), 'utf8');
  }

  /**
   * Asks whether that may be done, builds the image, tries it out, records it and chooses it.
   * @returns its record; undefined when another window has built another one meanwhile
   * @throws UserError, Cancelled
   */
  async build(wish: BuildWish): Promise<ImageRecord | undefined> {
    await this.confirm(wish);
    if (this.building) {
      throw new Cancelled('an image is being built already');
    }
    this.building = true;
    try {
      return await this.buildNow(wish);
    } catch (error) {
      if (!(error instanceof Cancelled)) {
        // the last lines say which command has failed
        this.options.log.show();
      }
      throw error;
    } finally {
      this.building = false;
    }
  }

  /** @throws UserError for a definition with commands for this computer itself, Cancelled */
  private async confirm({ definition, file }: BuildWish): Promise<void> {
    const asked = file === undefined ? undefined : await this.lookAt(definition, file);
    const { text, detail } = buildQuestion(asked);
    const show = vscode.l10n.t('Show Definition');
    // the first one is what Enter chooses
    const labels = asked?.isWritable ? [show, vscode.l10n.t('Build Anyway')] : [vscode.l10n.t('Build')];
    const chosen = await this.options.say.choose(text, detail, labels);
    if (chosen === show && file !== undefined) {
      await vscode.window.showTextDocument(vscode.Uri.file(file));
    }
    if (chosen === undefined || chosen === show) {
      throw new Cancelled('the build was not confirmed');
    }
  }

  private async lookAt(definition: string, path: string): Promise<AskedDefinition> {
    const facts = readDefinition(definition);
    const refusal = refuseDefinition(facts, path);
    if (refusal) throw refusal;
    const folders = await this.options.images.agentFolders();
    const real = await Promise.all(folders.map(realPathOf));
    const isExposed = async (place: string): Promise<boolean> => {
      // as it is named, and where that leads
      const places = [resolve('/', place), await realPathOf(resolve('/', place))];
      return [...folders, ...real].some((folder) => places.some((one) => isSameOrInside(folder, one)));
    };
    const local = facts.bases.filter(isLocalBase).map(({ from }) => from);
    const exposed = await Promise.all(local.map(isExposed));
    return {
      ...{ path, facts, isWritable: await isExposed(path) },
      writableBases: local.filter((_, index) => exposed[index]),
    };
  }

  private async buildNow({ definition, name, source }: BuildWish): Promise<ImageRecord | undefined> {
    const { storageDirectory, ptyModules, images, log } = this.options;
    const environment = await pullEnvironmentOf(images, this.options.environment);
    const target = join(storageDirectory, 'images', `${name}.sif`);
    const base = baseOf(await images.records.read(source));
    let versions: Pick<ImageRecord, 'apptainerVersion' | 'opencodeVersion'> = {};
    let digest: FileDigest | undefined;
    await withProgress(vscode.l10n.t('Building the image'), async (signal, report) => {
      const { path: apptainer } = await images.findApptainer(signal);
      await buildImage({
        ...{ apptainer, definition, target, environment, signal, ptyModules },
        onProgress: ({ text }) => report(translate(text)),
        onLine: (line) => log.info(line),
        inspect: async (path) => {
          report(vscode.l10n.t('Trying it out, without network…'));
          versions = await images.tryOut(path, signal);
          digest = await hashFile(path, signal);
        },
      });
    });
    // first: a start that is quicker must not find an earlier image's record
    const known = { ...versions, source, base };
    const record = digest && (await recordMadeImage(images.records, target, known, digest));
    await setImage(target);
    return record;
  }
}
