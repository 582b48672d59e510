/** Control, format (bidirectional too) and unassigned-surrogate characters, line and paragraph separators. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
/** The same without line break and tabulator. */
const unprintableInBlock = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A text from inside as one line that shows what it is: nothing in it moves, hides or reverses other text. */
export function cleanLine(value: string): string {
  return value
    .replace(/[\r\n\t]+/g, ' ')
    .replace(unprintable, '\ufffd')
    .trim();
}

/** The same for a text of several lines. */
export function cleanText(value: string): string {
  return value.replace(/\r\n?/g, '\n').replace(unprintableInBlock, '\ufffd');
}
