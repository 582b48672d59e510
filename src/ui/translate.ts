import * as vscode from 'vscode';
import type { Message } from '../sandbox/message';
import { plainText } from './plainText';

/**
 * A message in the language of the user. Its values come out as plain text: whatever a folder is called, it can't
 * become a link or an icon wherever VS Code shows the result.
 */
export function translate({ text, values }: Message): string {
  return vscode.l10n.t(
    text,
    ...values.map((value) => (typeof value === 'string' ? plainText(value) : value)),
  );
}
