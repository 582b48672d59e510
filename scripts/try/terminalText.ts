/**
 * Control sequences of a terminal (ECMA-48): CSI, strings such as OSC up to their end, two-character ones. Built
 * from text, because a regular expression may not hold control characters itself.
 */
const sequences = new RegExp(
  [
    String.raw`\u001b\[[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join('|'),
  'g',
);

/** What a terminal would do something with, or a reader be misled by; a tab is fine. */
const unprintable = /(?!\t)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A line from inside a sandbox as text that does nothing to the terminal that shows it. */
export function plainLine(line: string): string {
  return line.replace(sequences, '').replace(/\r/g, '').replace(unprintable, '\ufffd');
}

/** Turns the output of a program on a terminal into plain lines, as soon as each is whole. */
export class PlainLines {
  private rest = '';

  /** @param write called with each line, without its end */
  constructor(private readonly write: (line: string) => void) {}

  add(output: string): void {
    const lines = (this.rest + output).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      this.write(plainLine(line));
    }
  }

  /** The last line may have no end. */
  end(): void {
    const line = plainLine(this.rest);
    this.rest = '';
    if (line !== '') {
      this.write(line);
    }
  }
}
