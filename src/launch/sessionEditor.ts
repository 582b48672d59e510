import * as z from 'zod';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import type { ScriptProcess } from './scriptProcess';
import { mostExportBytes } from './deletedSessions';

/** opencode starts, loads the session and ends: some ten seconds on a busy computer. */
const orderMilliseconds = 180_000;

/** What the script may answer. */
const editorLine = z.union([
  z.object({ id: z.number(), chunk: z.string() }),
  z.object({ id: z.number(), done: z.literal(true) }),
  z.object({ id: z.number(), failed: z.string().max(1000) }),
  z.object({ id: z.number(), unsupported: z.literal(true) }),
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
  let hear: (line: string) => void = () => undefined;
  const script = await start((line) => hear(line));
  try {
    const results: string[] = [];
    for (const [id, edit] of edits.entries()) {
      results.push(
        await new Promise<string>((resolve, reject) => {
          const fail = (why: string): void => {
            onLog(`a session was not changed: ${why}`);
            reject(notDone('sessions.notChanged'));
          };
          const timer = setTimeout(() => fail('it took too long'), orderMilliseconds);
          hear = collector(id, fail, reject, (text) => {
            clearTimeout(timer);
            resolve(text);
          });
          void script.ended.then(() => fail('the sandbox has ended'));
          script.send({ id, ...edit });
        }),
      );
    }
    return results;
  } finally {
    await script.close();
  }
}

/** Puts the chunks of one answer together. */
function collector(
  id: number,
  fail: (why: string) => void,
  reject: (error: UserError) => void,
  resolve: (text: string) => void,
): (line: string) => void {
  const chunks: string[] = [];
  let length = 0;
  return (text) => {
    const line = parseLine(text);
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

function parseLine(text: string): z.infer<typeof editorLine> | undefined {
  try {
    return editorLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function notDone(code: 'sessions.notChanged' | 'sessions.unsupported'): UserError {
  return new UserError(code, message('opencode could not do that with the session. The log says more.'), {
    kind: 'showLog',
  });
}

function tooLarge(): UserError {
  return new UserError('sessions.exportTooLarge', message('The session is too large to be exported.'));
}
