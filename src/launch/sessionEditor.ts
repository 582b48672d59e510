import * as v from 'valibot';
import { tryParseJson } from '../sandbox/parseAs';
import { finite } from '../sandbox/schemas';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import type { ScriptProcess } from './scriptProcess';
import { mostExportBytes } from './deletedSessions';

/** opencode starts, loads the session and ends: some ten seconds on a busy computer. */
const orderMilliseconds = 180_000;

/** What the script may answer. */
const editorLine = v.union([
  v.object({ id: finite, chunk: v.string() }),
  v.object({ id: finite, done: v.literal(true) }),
  v.object({ id: finite, failed: v.pipe(v.string(), v.maxLength(1000)) }),
  v.object({ id: finite, unsupported: v.literal(true) }),
]);

/** What sessions can be asked to become; see `sessionEditor/main.ts`. */
export type SessionEdit =
  | { readonly rename: { readonly session: string; readonly title: string } }
  /** `time` in milliseconds since the epoch, 0: not archived */
  | { readonly archive: { readonly session: string; readonly time: number } }
  | { readonly move: { readonly session: string; readonly directory: string } }
  | { readonly remove: { readonly session: string } }
  | { readonly exportSession: { readonly session: string; readonly isSanitized: boolean } }
  | { readonly restore: { readonly content: string; readonly directory: string } };

/**
 * Has opencode itself change or export sessions, in a sandbox that is made for it and ended after it.
 * @param start starts the editor's sandbox
 * @param edits carried out one after another; the first that fails is the last
 * @param onLog is told what went wrong, which may be text from inside
 * @returns for each edit what it has exported; empty for the others
 * @throws UserError `sessions.notChanged`, `sessions.unsupported` for what this opencode can't do at all,
 *   `sessions.exportTooLarge`, and what `start` throws
 */
export async function editSessions(
  start: (onLine: (line: string) => void) => Promise<Pick<ScriptProcess, 'send' | 'close' | 'ended'>>,
  edits: readonly SessionEdit[],
  onLog: (line: string) => void,
): Promise<string[]> {
  let hear: Hear = () => undefined;
  const script = await start((line) => hear(line));
  const listen = (listener: Hear): void => void (hear = listener);
  try {
    const results: string[] = [];
    for (const [id, edit] of edits.entries()) results.push(await carryOut(script, listen, { id, ...edit }));
    return results;
  } catch (error) {
    if (error instanceof UserError) throw error;
    onLog(`a session was not changed: ${error instanceof Error ? error.message : String(error)}`);
    throw notDone('sessions.notChanged');
  } finally {
    await script.close();
  }
}

type Hear = (line: string) => void;

/**
 * Only the first that happens counts: what comes after an answer is about nothing any more.
 * @throws UserError, Error with the reason for the log
 */
async function carryOut(
  script: Pick<ScriptProcess, 'send' | 'ended'>,
  listen: (hear: Hear) => void,
  order: SessionEdit & { readonly id: number },
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(why));
      timer = setTimeout(() => fail('it took too long'), orderMilliseconds);
      listen(collector(order.id, fail, reject, resolve));
      void script.ended.then(() => fail('the sandbox has ended'));
      script.send(order);
    });
  } finally {
    clearTimeout(timer);
    listen(() => undefined);
  }
}

/** Puts the chunks of one answer together. */
function collector(
  id: number,
  fail: (why: string) => void,
  reject: (error: UserError) => void,
  resolve: (text: string) => void,
): Hear {
  const chunks: string[] = [];
  let length = 0;
  return (text) => {
    const line = tryParseJson(editorLine, text);
    if (line?.id !== id) return fail('the answer could not be understood');
    if ('chunk' in line) {
      length += line.chunk.length;
      if (length > mostExportBytes) return reject(tooLarge());
      chunks.push(line.chunk);
    } else if ('failed' in line) {
      fail(JSON.stringify(line.failed));
    } else if ('unsupported' in line) {
      reject(notDone('sessions.unsupported'));
    } else {
      resolve(chunks.join(''));
    }
  };
}

function notDone(code: 'sessions.notChanged' | 'sessions.unsupported'): UserError {
  return new UserError(code, message('opencode could not do that with the session. The log says more.'), {
    kind: 'showLog',
  });
}

function tooLarge(): UserError {
  return new UserError('sessions.exportTooLarge', message('The session is too large to be exported.'));
}
