/**
 * A value as text that VS Code shows as it is. Notifications turn `[x](command:y)` into a link that runs a command,
 * labels turn `$(name)` into an icon, and control or bidirectional characters can make a text read as another.
 * File and folder names may contain all of them.
 */
export function plainText(value: string): string {
  return value
    .replace(unprintable, '\ufffd')
    .replace(/\](?=\()/g, '] ')
    .replace(/\$(?=\()/g, '$ ');
}

/** Control and format characters, line and paragraph separators, halves of characters. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A text as Markdown that renders as exactly this text: nothing in it is a link, an image, HTML or a table cell. */
export function escapeMarkdown(value: string): string {
  return value
    .replace(unprintable, '\ufffd')
    .replace(/[!-/:-@[-`{-~]/g, (character) => `&#${character.charCodeAt(0)};`);
}
