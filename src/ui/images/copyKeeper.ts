import * as vscode from 'vscode';
import { type CopyOutcome, keepCopy } from '../../apptainer/copyOpencode';
import type { FoundApptainer } from '../../apptainer/find';
import type { ImageRecord, ImageRecords } from '../../apptainer/imageRecords';
import { copyFolder, OpencodeCopies } from '../../apptainer/opencodeCopies';
import { settingsSection } from '../../contributions';
import type { Environment } from '../../sandbox/hostEnvironment';
import { Cancelled } from '../../sandbox/userError';
import type { Log } from '../log';
import { readSettings } from '../settings';

export interface CopyKeeperOptions {
  readonly storageDirectory: string;
  readonly environment: Environment;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly records: Pick<ImageRecords, 'list'>;
  readonly findApptainer: (signal: AbortSignal) => Promise<FoundApptainer>;
}

/** Sees to it that there is a copy of the opencode of the image that is used, and that it is what was copied. */
export class CopyKeeper implements vscode.Disposable {
  private readonly stopping = new AbortController();

  constructor(private readonly options: CopyKeeperOptions) {}

  /** Off where the user does not want one. Whatever goes wrong is for the log alone: starts do without. */
  async keep(image: ImageRecord): Promise<void> {
    try {
      const outcome = await this.keepIfWanted(image);
      if (outcome !== undefined) this.options.log.info(`copy of opencode: ${outcome}`);
    } catch (error) {
      if (!(error instanceof Cancelled)) this.options.log.warn(`copy of opencode: ${String(error)}`);
    }
  }

  dispose(): void {
    this.stopping.abort();
  }

  private async keepIfWanted(image: ImageRecord): Promise<CopyOutcome | undefined> {
    const { signal } = this.stopping;
    const { storageDirectory, environment, records, findApptainer } = this.options;
    const { opencodeCopy } = readSettings(vscode.workspace.getConfiguration(settingsSection));
    const uid = process.getuid?.() ?? -1;
    const folder = opencodeCopy && !signal.aborted ? await copyFolder(storageDirectory, uid) : undefined;
    if (folder === undefined) return undefined;
    const copies = new OpencodeCopies(folder, uid);
    const { path: apptainer } = await findApptainer(signal);
    const outcome = await keepCopy({ copies, apptainer, image, environment, signal });
    if (outcome === 'made') await copies.removeOthers(await records.list(), storageDirectory);
    return outcome;
  }
}
