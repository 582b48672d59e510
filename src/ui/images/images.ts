import * as vscode from 'vscode';
import { runBare } from '../../apptainer/bareRun';
import { missingToolsCommand, wantedTools } from '../../apptainer/definitions';
import { findApptainer, type FoundApptainer } from '../../apptainer/find';
import { readImageFacts } from '../../apptainer/imageFacts';
import { recordImage } from '../../apptainer/imageIntegrity';
import { ImageRecords, type ImageRecord } from '../../apptainer/imageRecords';
import { smokeTest } from '../../apptainer/smokeTest';
import { settingKeys, settingsSection } from '../../contributions';
import { hashFile } from '../../host/hashFile';
import { readPlace } from '../../host/folderFacts';
import type { Environment } from '../../sandbox/hostEnvironment';
import { message } from '../../sandbox/message';
import { refuseImage } from '../../sandbox/refuseImage';
import { Cancelled, UserError } from '../../sandbox/userError';
import { CopyKeeper } from './copyKeeper';
import type { Log } from '../log';
import { withProgress } from '../progress';
import type { Say } from '../say';
import { readSettings } from '../settings';
import { realFolders } from '../window';

export interface ImagesOptions {
  readonly storageDirectory: string;
  readonly environment: Environment;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly say: Pick<Say, 'confirm' | 'information'>;
  /** folders that sandboxes can write which run in other windows */
  readonly otherWorkspaces: () => Promise<readonly string[]>;
}

/** Long enough for a start to be over, whose disk reads this must not slow down. */
const recordAfterMilliseconds = 15_000;

/** The images that this extension knows, and how one of them becomes the one for sandboxes. */
export class Images implements vscode.Disposable {
  readonly records: ImageRecords;
  private readonly copies: CopyKeeper;
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly options: ImagesOptions) {
    this.records = new ImageRecords(options.storageDirectory);
    const findApptainer = (signal: AbortSignal): Promise<FoundApptainer> => this.findApptainer(signal);
    this.copies = new CopyKeeper({ ...options, records: this.records, findApptainer });
  }

  /**
   * Looks at an image, runs its opencode once without network, records it, and makes it the image of all sandboxes.
   * @throws UserError when it can't be used, Cancelled
   */
  async choose(configuredPath: string): Promise<void> {
    const path = await this.checkPlace(configuredPath);
    const record = await withProgress(vscode.l10n.t('Looking at the image'), (signal) =>
      this.examine(path, signal),
    );
    await setImage(path);
    void this.options.say.information(
      record.opencodeVersion === undefined
        ? message(
            'Sandboxes use {0} from now on. It has no opencode: Open Shell works, an agent does not.',
            path,
          )
        : message('Sandboxes use {0} from now on, with opencode {1}.', path, record.opencodeVersion),
    );
  }

  /**
   * Once there is time, records an image that was started and has no record yet, and sees to its copy of opencode.
   * @param usesOpencode whether opencode is what was started
   */
  recordLater(path: string, usesOpencode: boolean): void {
    if (this.timers.has(path)) return;
    const record = async (): Promise<void> => {
      const known = (await this.records.read(path)) ?? (await recordImage(this.records, path, {}));
      if (usesOpencode) await this.copies.keep(known);
    };
    const timer = setTimeout(() => {
      record().catch((error: unknown) => this.options.log.warn(String(error)));
    }, recordAfterMilliseconds);
    this.timers.set(path, timer);
  }

  dispose(): void {
    this.timers.forEach((timer) => clearTimeout(timer));
    this.copies.dispose();
  }

  /** Refuses an image that is none, or that somebody's agent could replace. @returns the resolved path @throws UserError */
  async checkPlace(configuredPath: string): Promise<string> {
    const facts = await readImageFacts(configuredPath);
    const refusal = refuseImage(facts, await Promise.all((await this.agentFolders()).map(readPlace)));
    if (refusal) throw refusal;
    return facts.place.path;
  }

  /** The folders that an agent can write: the workspaces of all windows, and the agent's home. */
  async agentFolders(): Promise<readonly string[]> {
    const { agentHome } = readSettings(vscode.workspace.getConfiguration(settingsSection));
    return [
      ...(await realFolders()),
      ...(await this.options.otherWorkspaces()),
      ...(agentHome.startsWith('/') ? [agentHome] : []),
    ];
  }

  private async examine(path: string, signal: AbortSignal): Promise<ImageRecord> {
    const known = await this.records.read(path);
    const digest = await hashFile(path, signal);
    const isKnown = known?.sha256 === digest.sha256;
    if (known && !isKnown) {
      await this.confirmChange(known);
    }
    const versions = await this.tryOut(path, signal);
    const origin = isKnown ? { source: known.source, digest: known.digest } : {};
    // a file that was changed after it was read is no longer the one of its record, and is refused
    const record = { ...origin, ...versions, ...digest, path, recordedAt: Date.now() };
    await this.records.write(record);
    return record;
  }

  private async confirmChange({ path, recordedAt }: ImageRecord): Promise<void> {
    const question = message(
      'The image {0} is not the file that was recorded on {1}. Somebody or something has replaced it. Use what is there now?',
      path,
      new Date(recordedAt).toLocaleString(),
    );
    if (!(await this.options.say.confirm(question, vscode.l10n.t('Use Changed Image')))) {
      throw new Cancelled('the changed image was not confirmed');
    }
  }

  /** Which of the tools that an agent works better with an image lacks. @throws UserError, Cancelled */
  async missingTools(image: string, signal = new AbortController().signal): Promise<readonly string[]> {
    const { path: apptainer } = await this.findApptainer(signal);
    const { environment } = this.options;
    const limits = { signal, timeoutMilliseconds: 60_000 };
    const { exitCode, stdout } = await runBare({
      ...{ apptainer, image, environment, command: missingToolsCommand },
      ...limits,
    });
    // what an image says is not more than a hint
    return exitCode === 0 ? wantedTools.filter((tool) => stdout.split('\n').includes(tool)) : [];
  }

  /** The Apptainer of the settings. @throws UserError, Cancelled */
  async findApptainer(signal: AbortSignal): Promise<FoundApptainer> {
    const { apptainerPath } = readSettings(vscode.workspace.getConfiguration(settingsSection));
    return findApptainer({
      configuredPath: apptainerPath,
      forbiddenFolders: [...(await realFolders())],
      environment: this.options.environment,
      signal,
    });
  }

  /**
   * Runs the opencode of an image once, without network.
   * @returns the versions of which its record tells
   * @throws UserError when no container can be made of it, Cancelled
   */
  async tryOut(
    image: string,
    signal: AbortSignal,
  ): Promise<Pick<ImageRecord, 'apptainerVersion' | 'opencodeVersion'>> {
    const { environment, log } = this.options;
    const apptainer = await this.findApptainer(signal);
    const result = await smokeTest({ apptainer: apptainer.path, image, environment, signal });
    if (result.kind === 'failed') {
      log.info(result.output);
      throw new UserError(
        'image.doesNotRun',
        result.failure?.meaning ??
          message('No container could be made of the image {0}. What Apptainer said is in the log.', image),
        { kind: 'showLog' },
      );
    }
    const opencodeVersion = result.kind === 'works' ? result.opencodeVersion : undefined;
    return { apptainerVersion: apptainer.version.text, opencodeVersion };
  }
}

/** Makes an image the one of all sandboxes: that of the setting. */
export async function setImage(path: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(settingsSection);
  await configuration.update(settingKeys.image, path, vscode.ConfigurationTarget.Global);
}
