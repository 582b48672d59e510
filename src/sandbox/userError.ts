import { formatMessage, type Message } from './message';

/** What one button of an error message does; `ui/say.ts` maps each to a label and an action. */
export type RemedyAction =
  | { readonly kind: 'openSetting'; readonly setting: string }
  | { readonly kind: 'runCommand'; readonly command: string }
  | { readonly kind: 'manageTrust' }
  | { readonly kind: 'openFolder' }
  /** shows it where files are listed, without opening it */
  | { readonly kind: 'revealFile'; readonly path: string }
  | { readonly kind: 'showLog' };

/**
 * An error that is written for the person who reads it: what happened, to which path or setting, what to do next,
 * and at most one button that does it. Nothing that came out of a sandbox may enter its message.
 */
export class UserError extends Error {
  override readonly name = 'UserError';

  /**
   * @param code stable identifier, for tests and logs (for example `apptainer.tooOld`)
   * @param description the text for the person
   * @param action what the one button does
   * @param options `cause` is for the log only
   */
  constructor(
    readonly code: string,
    readonly description: Message,
    readonly action?: RemedyAction,
    options?: ErrorOptions,
  ) {
    super(formatMessage(description), options);
  }
}

/** Work that the user cancelled: never shown as an error. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
