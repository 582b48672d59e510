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

/**
 * A text as Markdown that renders as exactly this text: nothing in it is a link, an image, HTML, a formula or a cell of
 * a table, nor do addresses become links by themselves. It stays readable as it is, too.
 */
export function escapeMarkdown(value: string): string {
  return (
    value
      .replace(unprintable, '\ufffd')
      .trimStart()
      .replace(/[\\`*_{}[\]<>()#!|~&@$^]/g, '\\$&')
      // extended autolinks of GitHub's Markdown
      .replace(/:(?=\/\/|[a-z+])|(?<=\bwww)\./gi, '\\$&')
      // lists and underlined headings begin like that; code, with spaces
      .replace(/^(\d*)([-+=.)])/, '$1\\$2')
  );
}
