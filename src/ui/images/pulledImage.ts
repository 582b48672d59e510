import { access } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { FoundApptainer } from '../../apptainer/find';
import { recordDigest, recordMadeImage } from '../../apptainer/imageIntegrity';
import type { ImageRecord } from '../../apptainer/imageRecords';
import { pullImage } from '../../apptainer/pull';
import { sourceDigest } from '../../apptainer/sourceDigest';
import { settingsSection } from '../../contributions';
import { type FileDigest, hashFile } from '../../host/hashFile';
import type { Environment } from '../../sandbox/hostEnvironment';
import { type Images, setImage } from './images';
import { pullEnvironmentOf } from './pullEnvironment';
import type { Log } from '../log';
import { type ReportProgress, withProgress } from '../progress';
import { readSettings } from '../settings';
import { translate } from '../translate';

export interface PulledImageOptions {
  readonly storageDirectory: string;
  readonly environment: Environment;
  /** folders to load node-pty from */
  readonly ptyModules: readonly string[];
  readonly images: Images;
  readonly log: Pick<Log, 'info'>;
}

/** The image that this extension pulls and keeps in its storage. */
export class PulledImage {
  private readonly path: string;
  private pulling: Promise<ImageRecord | undefined> | undefined;

  constructor(private readonly options: PulledImageOptions) {
    this.path = join(options.storageDirectory, 'images', 'opencode.sif');
  }

  /** The image that was chosen; without one, the pulled image if there is one, else an empty text. */
  async orChosen(chosen: string): Promise<string> {
    if (chosen !== '') {
      return chosen;
    }
    return access(this.path).then(
      () => this.path,
      () => '',
    );
  }

  /**
   * Pulls the image of the settings, tries it out, and chooses it. Asked twice, it pulls once.
   * @returns its record; undefined when another window has pulled another one meanwhile
   * @throws UserError, Cancelled
   */
  async pull(): Promise<ImageRecord | undefined> {
    this.pulling ??= this.pullAndChoose().finally(() => {
      this.pulling = undefined;
    });
    return this.pulling;
  }

  private async pullAndChoose(): Promise<ImageRecord | undefined> {
    const record = await withProgress(
      vscode.l10n.t('Pulling the image for sandboxes'),
      async (signal, report) => this.pullNow(signal, report),
    );
    await setImage(this.path);
    return record;
  }

  private async pullNow(signal: AbortSignal, report: ReportProgress): Promise<ImageRecord | undefined> {
    const { ptyModules, images, log } = this.options;
    const environment = await pullEnvironmentOf(images, this.options.environment);
    const { imageSource } = readSettings(vscode.workspace.getConfiguration(settingsSection));
    const apptainer = await images.findApptainer(signal);
    let versions: Pick<ImageRecord, 'apptainerVersion' | 'opencodeVersion'> = {};
    let digest: FileDigest | undefined;
    await pullImage({
      ...{ apptainer: apptainer.path, source: imageSource, target: this.path },
      ...{ environment, signal, ptyModules },
      onProgress: ({ text, percent }) => report(translate(text), percent),
      onLine: (line) => log.info(line),
      inspect: async (path) => {
        report(vscode.l10n.t('Trying it out, without network…'), 100);
        versions = await images.tryOut(path, signal);
        digest = await hashFile(path, signal);
      },
    });
    return digest && this.record({ ...versions, source: imageSource }, digest, { ...apptainer, environment });
  }

  private async record(
    known: Pick<ImageRecord, 'apptainerVersion' | 'opencodeVersion' | 'source'>,
    inspected: FileDigest,
    { path: apptainer, version, environment }: FoundApptainer & { readonly environment: Environment },
  ): Promise<ImageRecord | undefined> {
    const { images, log } = this.options;
    const record = await recordMadeImage(images.records, this.path, known, inspected);
    if (record === undefined) return undefined;
    const digest = await sourceDigest({
      ...{ apptainer, version, environment },
      source: known.source ?? '',
      image: this.path,
      onLine: (line) => log.info(line),
    });
    // this took seconds, in which another window can have put its image there
    return recordDigest(images.records, record, digest);
  }
}
