/** UTF-16 units. Apptainer names two paths of at most 4096 bytes in a line; what is longer a registry has made up. */
const longestLine = 10_000;

/**
 * Whether a line of what Apptainer printed matches. Parts of it can be written by a registry or a build, and patterns with
 * something between their words take time that grows with the square of a line.
 * @param pattern of one line
 */
export function saysSo(output: string, pattern: RegExp): boolean {
  return output.split('\n').some((line) => pattern.test(shortened(line)));
}

/** What was cut off is no end of a line. */
function shortened(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
