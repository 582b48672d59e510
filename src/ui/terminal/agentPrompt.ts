import { message } from '../../sandbox/message';
import { UserError } from '../../sandbox/userError';

/** A file, or some lines of it, for the agent's prompt. */
export interface PromptReference {
  /** relative to the workspace folder */
  readonly path: string;
  /** counted from one; both included */
  readonly lines?: { readonly first: number; readonly last: number };
}

/**
 * What names of files may consist of to be typed into a prompt: opencode ends a reference at a space, and a name with
 * control characters could press keys.
 */
const typable = /^[\p{L}\p{N}_./+@%=~-]+$/u;

/**
 * The text that puts references into opencode's prompt, as the terminal sends what is pasted (bracketed paste, XTerm
 * Control Sequences): nothing in it is a key, so nothing is submitted.
 * @throws UserError for a name that can't be typed
 */
export function pasteOf(references: readonly PromptReference[]): string {
  const odd = references.find(({ path }) => !typable.test(path));
  if (odd) {
    throw new UserError(
      'prompt.oddName',
      message(
        '{0} has characters in its name that can’t stand in a reference. Rename it, or describe it in words.',
        odd.path,
      ),
    );
  }
  const words = references.map(({ path, lines }) => {
    if (!lines) return `@${path}`;
    return lines.first === lines.last
      ? `@${path}#L${lines.first}`
      : `@${path}#L${lines.first}-L${lines.last}`;
  });
  return `\u001b[200~${words.join(' ')} \u001b[201~`;
}
