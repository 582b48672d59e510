/**
 * A text for a person as data: an English template with `{0}`, `{1}` … and the values to put there. Pure code
 * returns messages; `ui/` translates them with `vscode.l10n.t(text, ...values)`, everything else prints them with
 * {@link formatMessage}. Templates are literals, so that the translation bundle can be collected from the source.
 */
export interface Message {
  readonly text: string;
  readonly values: readonly (string | number)[];
}

/** Makes a message. `text` must be a string literal with `{0}`-style places for `values`. */
export function message(text: string, ...values: readonly (string | number)[]): Message {
  return { text, values };
}

/** The English text of a message, with its values put in. A place without a value stays as it is. */
export function formatMessage({ text, values }: Message): string {
  return text.replace(/\{(\d+)\}/g, (place, index: string) => {
    const value = values[Number(index)];
    return value === undefined ? place : String(value);
  });
}
