import { EscapeState } from './escapeState';

/**
 * VS Code tells a `Pseudoterminal` nothing about how far its output has been shown. So we ask the terminal itself:
 * a device status request is put into the output as a mark, and the terminal answers it once it has parsed that far.
 * Requests that the program made itself are counted, so that their answers are passed on to it.
 */
export class OutputAcknowledgement {
  private readonly escapes = new EscapeState();
  /** UTF-16 units of output since the beginning */
  private total = 0;
  private sinceMark = 0;
  /** the requests that are not answered yet, in order: `total` at a mark of ours, or one of the program's */
  private readonly unanswered: (number | 'program')[] = [];

  /** Takes the next piece of output and returns it with marks put in. */
  mark(output: string): string {
    const pieces: string[] = [];
    let start = 0;
    for (let index = 0; index < output.length; index += 1) {
      if (this.mayMarkBefore(output, index)) {
        pieces.push(output.slice(start, index), this.newMark());
        start = index;
      }
      this.total += 1;
      this.sinceMark += 1;
      if (this.escapes.next(output.charCodeAt(index))) {
        this.unanswered.push('program');
      }
    }
    pieces.push(output.slice(start));
    if (this.sinceMark >= markInterval && this.escapes.atGround && !endsInsideCharacter(output)) {
      pieces.push(this.newMark());
    }
    return pieces.join('');
  }

  /**
   * Takes what the terminal sent as input, and takes the answers to our marks out of it.
   * @returns the input for the program, and how many units of output have been parsed in all when that is news
   */
  answer(input: string): { readonly input: string; readonly parsed?: number } {
    const [first = '', ...others] = input.split(statusAnswer);
    let rest = first;
    let parsed: number | undefined;
    for (const other of others) {
      const asked = this.unanswered.shift();
      if (typeof asked === 'number') {
        parsed = asked;
        rest += other;
      } else {
        rest += statusAnswer + other;
      }
    }
    return parsed === undefined ? { input: rest } : { input: rest, parsed };
  }

  private newMark(): string {
    this.unanswered.push(this.total);
    this.sinceMark = 0;
    return statusRequest;
  }

  /** A mark inside an escape sequence would break it, one inside a composed character would take it apart. */
  private mayMarkBefore(output: string, index: number): boolean {
    if (this.sinceMark < markInterval || !this.escapes.atGround) {
      return false;
    }
    const next = output.charCodeAt(index);
    const afterLine = index > 0 && output.charCodeAt(index - 1) === lineFeed;
    return next === escape || afterLine || (this.sinceMark >= 1.5 * markInterval && next < 0x80);
  }
}

function endsInsideCharacter(output: string): boolean {
  return /[\ud800-\udbff]$/.test(output);
}

const statusRequest = '\x1b[5n';
const statusAnswer = '\x1b[0n';
/**
 * UTF-16 units between two marks. The supervisor takes a client for slow at 200 000 unacknowledged units and waits
 * for less than 80 000; what no mark has reported yet must stay well below that, or the two wait for each other.
 */
const markInterval = 32_768;
const lineFeed = 0x0a;
const escape = 0x1b;
