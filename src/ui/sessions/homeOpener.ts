import * as vscode from 'vscode';
import { DamagedHome, OlderHome, openHome } from '../../launch/homeOpening';
import { remedyHome, type HomeRemedy } from '../../launch/homeRemedies';
import type { HomeOpeningOptions } from '../../launch/keeperSandbox';
import { message, type Message } from '../../sandbox/message';
import type { SandboxSpecification } from '../../sandbox/specification';
import { Cancelled, UserError } from '../../sandbox/userError';
import type { Log } from '../log';
import type { Say } from '../say';
import type { StartScript } from '../sandboxes/startScript';

export interface HomeOpenerOptions {
  readonly startScript: StartScript;
  readonly say: Pick<Say, 'choose' | 'confirm' | 'error' | 'information'>;
  readonly log: Log;
}

/** Who waits for a sandbox. */
export interface Waiting {
  readonly signal: AbortSignal;
  say(text: Message): void;
}

/** What has an agent's home looked at before a sandbox gets it. @throws as {@link HomeOpener.open} */
export function homeOpener(
  options: HomeOpenerOptions,
): (specification: SandboxSpecification, waiting: Waiting) => Promise<void> {
  const homes = new HomeOpener(options);
  return (specification, waiting) => homes.open(specification, waiting);
}

/** Asks what shall become of a home that can't be used as it is. */
class HomeOpener {
  constructor(private readonly options: HomeOpenerOptions) {}

  /** @throws UserError, Cancelled when nothing is to be started */
  async open(specification: SandboxSpecification, waiting: Waiting): Promise<void> {
    const { startScript, say, log } = this.options;
    let options: HomeOpeningOptions = {
      startScript,
      tell: (text) => waiting.say(text),
      onLog: (line) => log.warn(line),
      signal: waiting.signal,
    };
    for (;;) {
      try {
        const notes = await openHome(specification, options);
        notes.forEach((note) => void say.information(note, { kind: 'showLog' }));
        return;
      } catch (error) {
        if (error instanceof OlderHome) {
          await this.accept(error);
          options = { ...options, acceptsOlder: true };
        } else if (error instanceof DamagedHome) {
          await this.remedy(error, specification, options);
        } else {
          throw error;
        }
      }
    }
  }

  private async accept({ description }: OlderHome): Promise<void> {
    if (!(await this.options.say.confirm(description, vscode.l10n.t('Start Anyway')))) {
      throw new Cancelled('there are older sessions');
    }
  }

  private async remedy(
    damaged: DamagedHome,
    specification: SandboxSpecification,
    options: HomeOpeningOptions,
  ): Promise<void> {
    const { say } = this.options;
    const remedy = await this.ask(damaged);
    try {
      options.tell(message('opencode’s database is being put in order…'));
      const done = await remedyHome(specification, remedy, options);
      // it would be waited for until somebody closes it
      void say.information(done);
    } catch (error) {
      // another remedy may work
      if (!(error instanceof UserError && error.code === 'home.notKept')) throw error;
      void say.error(error);
    }
  }

  private async ask({ description, backups }: DamagedHome): Promise<HomeRemedy> {
    const [backup] = backups;
    const remedies = new Map<string, HomeRemedy>([
      [vscode.l10n.t('Repair'), { kind: 'repair' }],
      ...(backup
        ? [[vscode.l10n.t('Restore Backup'), { kind: 'restore', backup }] as [string, HomeRemedy]]
        : []),
      [vscode.l10n.t('Start Fresh'), { kind: 'startFresh' }],
    ]);
    const detail = backup
      ? message(
          'Repair keeps the rows that can still be read. The last backup is of {0}. In each case the damaged database is moved aside, not removed.',
          new Date(backup.time).toLocaleString(),
        )
      : message(
          'Repair keeps the rows that can still be read. There is no backup. In each case the damaged database is moved aside, not removed.',
        );
    const chosen = await this.options.say.choose(description, detail, [...remedies.keys()]);
    const remedy = remedies.get(chosen ?? '');
    if (remedy === undefined) throw new Cancelled('nothing was chosen for the damaged database');
    return remedy;
  }
}
