import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';

/** The ways in which opencode can be made to go on with a session in another folder. */
export interface SessionMove {
  /** @throws UserError `sessions.unsupported` where this opencode has no such thing */
  readonly move: () => Promise<unknown>;
  /** out of the database, and kept among the deleted ones */
  readonly takeOut: () => Promise<void>;
  /** from there into the database, and into the other folder with that */
  readonly bringBack: () => Promise<void>;
}

/**
 * Moves a session. opencode 1.2 can't: there it is taken out of the database and brought back. What failed for any other
 * reason is left as it is.
 * @throws UserError `sessions.movedToDeleted` when it was taken out and did not come back, and what `move` and `takeOut`
 *   throw
 */
export async function moveSession({ move, takeOut, bringBack }: SessionMove): Promise<void> {
  try {
    await move();
  } catch (error) {
    if (!(error instanceof UserError && error.code === 'sessions.unsupported')) throw error;
    await takeOut();
    await bringBack().catch((cause: unknown) => {
      throw new UserError(
        'sessions.movedToDeleted',
        message('The session could not be moved. It is among the deleted ones now: restore it from there.'),
        { kind: 'showLog' },
        { cause },
      );
    });
  }
}
