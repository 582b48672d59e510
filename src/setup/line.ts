import type { Message } from '../sandbox/message';
import type { RemedyAction } from '../sandbox/userError';
import type { Command } from './distribution';

/** What a line is about, in the order in which they are shown. */
export const lineIds = [
  'system',
  'apptainer',
  'mode',
  'userNamespaces',
  'fuse',
  'helpers',
  'configuration',
  'siteBinds',
  'seccomp',
  'image',
  'container',
  'imageSpace',
  'cacheSpace',
  'temporarySpace',
  'temporaryPrograms',
  'homeSpace',
  'fileSystem',
] as const;
export type LineId = (typeof lineIds)[number];

/** `unknown`: nobody has looked, or nobody can */
export type LineState = 'ok' | 'warning' | 'problem' | 'unknown';

/** What a button beside a line does. */
export type Fix =
  /** as a button of a message */
  | { readonly kind: 'action'; readonly action: RemedyAction }
  /** to be copied, or to be run in a terminal that shows them first; one after the other */
  | { readonly kind: 'commands'; readonly commands: readonly Command[] }
  /** chooses this program in the setting `apptainerPath` */
  | { readonly kind: 'useProgram'; readonly path: string };

/** One prerequisite, and how it stands. */
export interface SetupLine {
  readonly id: LineId;
  readonly state: LineState;
  /** nothing can be started as long as it is so */
  readonly isBlocking: boolean;
  readonly detail: Message;
  /** what can be done about it, where the fixes don't say it */
  readonly advice?: Message | undefined;
  readonly fixes: readonly Fix[];
}

/** A line with nothing wrong. */
export function ok(id: LineId, detail: Message): SetupLine {
  return { id, state: 'ok', isBlocking: false, detail, fixes: [] };
}

/** A line about what works, but not as well as it could. */
export function warning(id: LineId, detail: Message, ...fixes: readonly Fix[]): SetupLine {
  return { id, state: 'warning', isBlocking: false, detail, fixes };
}

/** A line about what keeps every sandbox from starting. */
export function blocking(id: LineId, detail: Message, ...fixes: readonly Fix[]): SetupLine {
  return { id, state: 'problem', isBlocking: true, detail, fixes };
}

/** A line about which nothing is known. */
export function unknown(id: LineId, detail: Message): SetupLine {
  return { id, state: 'unknown', isBlocking: false, detail, fixes: [] };
}

/** The fix that runs commands as they are, if there are any. */
export function commandsFix(...commands: readonly Command[]): Fix[] {
  return commands.length === 0 ? [] : [{ kind: 'commands', commands }];
}

/** The fix of an error that was written for people. */
export function actionFix(action: RemedyAction | undefined): Fix[] {
  return action === undefined ? [] : [{ kind: 'action', action }];
}
