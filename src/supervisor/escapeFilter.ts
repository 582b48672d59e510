import {
  filterCommand,
  filterControlSequence,
  filterEscape,
  type ClipboardRequest,
} from '../sandbox/escapePolicy';

/** Longer sequences are dropped whole; the longest that is allowed is a hyperlink. */
const longestSequence = 4096;

/** A clipboard command that is let through may be longer: what somebody copies, in base64. */
const longestClipboard = 1_400_000;

/** C0 controls that move the cursor, ring, or shift character sets. ENQ and the like would make a terminal answer. */
const allowedControls = new Set(['\x07', '\b', '\t', '\n', '\v', '\f', '\r', '\x0e', '\x0f']);

const [escape, cancel, substitute, bell] = ['\x1b', '\x18', '\x1a', '\x07'] as const;

/** Text in which nothing needs to be looked at, the usual case. */
const plainText = /[^\x00-\x1f\x7f-\x9f]+/y;

/**
 * Characters without a width of their own: terminals keep them all in the cell of the character before, so that a
 * long run of them fills the memory (measured). Marks, joiners, and what xterm.js with Unicode 11 counts as nothing.
 */
const zeroWidth = /[\p{M}\p{Cf}\u115f-\u11ff\ufe00-\ufe0f]/u;

/** No script and no emoji needs more on one character. */
const mostStacked = 10;

/** `command` is an OSC string, `string` any other; what is dropped is not kept, only its end is waited for. */
type State =
  'ground' | 'escape' | 'control' | 'dropped control' | 'command' | 'dropped command' | 'dropped string';

/** What follows ESC and opens something longer; of the strings only OSC has commands that are allowed. */
const introducers = new Map<string, State>([
  ['[', 'control'],
  [']', 'command'],
  ['P', 'dropped string'],
  ['X', 'dropped string'],
  ['^', 'dropped string'],
  ['_', 'dropped string'],
]);

export interface EscapeFilterOptions {
  /** stands before every title that the program sets */
  readonly titlePrefix: string;
  /** whether the program may write the user's clipboard (OSC 52); nothing may read it */
  readonly mayWriteClipboard: boolean;
  /** a program wanted to use the clipboard, which was held back */
  readonly onClipboard: (request: ClipboardRequest) => void;
}

/**
 * Takes the output of a program in the sandbox, in pieces cut anywhere, and returns what may reach a terminal. Nothing
 * is kept but the beginning of one unfinished sequence.
 */
export class EscapeFilter {
  private state: State = 'ground';
  /** of the sequence that is not finished, without its introducer */
  private collected = '';
  private longest = longestSequence;
  private isEscapeInString = false;
  /** characters without width since the last one with */
  private stacked = 0;

  /** @param options what the user allowed, and how titles begin */
  constructor(private readonly options: EscapeFilterOptions) {}

  filter(output: string): string {
    let passed = '';
    for (let index = 0; index < output.length;) {
      if (this.state === 'ground') {
        plainText.lastIndex = index;
        const plain = plainText.exec(output)?.[0];
        if (plain !== undefined) {
          passed += this.unstack(plain);
          index += plain.length;
          continue;
        }
      }
      passed += this.next(output.charAt(index));
      index += 1;
    }
    return passed;
  }

  /** The count goes on over everything that moves no cursor, so that nothing in between starts it anew. */
  private unstack(plain: string): string {
    if (!zeroWidth.test(plain)) {
      this.stacked = 0;
      return plain;
    }
    let passed = '';
    for (const character of plain) {
      this.stacked = zeroWidth.test(character) ? this.stacked + 1 : 0;
      if (this.stacked <= mostStacked) {
        passed += character;
      }
    }
    return passed;
  }

  private next(unit: string): string {
    if (this.isInString()) {
      return this.nextInString(unit);
    }
    if (unit === cancel || unit === substitute) {
      return this.finish('');
    }
    if (unit === escape) {
      this.enter('escape');
      return '';
    }
    if (unit >= '\x7f' && unit <= '\x9f') {
      // DEL does nothing; C1 controls are sequences in one unit, which no program of today needs
      return '';
    }
    if (unit < ' ') {
      // terminals act on a control in the middle of a sequence at once
      return allowedControls.has(unit) ? unit : '';
    }
    switch (this.state) {
      case 'escape':
        return this.nextInEscape(unit);
      case 'control':
      case 'dropped control':
        return this.nextInControl(unit);
      default:
        return unit;
    }
  }

  private isInString(): boolean {
    return this.state === 'command' || this.state === 'dropped command' || this.state === 'dropped string';
  }

  private nextInEscape(unit: string): string {
    if (unit <= '/') {
      this.collect(unit, 'ground');
      return '';
    }
    if (this.collected === '') {
      const introduced = introducers.get(unit);
      if (introduced) {
        this.enter(introduced);
        return '';
      }
    }
    return this.finish(filterEscape(this.collected, unit));
  }

  private nextInControl(unit: string): string {
    if (unit < '@') {
      this.collect(unit, 'dropped control');
      return '';
    }
    const parts = /^([<-?]?)([0-9:;]*)([ -/]*)$/.exec(this.collected);
    const isDropped = this.state === 'dropped control' || !parts || unit > '~';
    const [, prefix = '', parameters = '', intermediates = ''] = parts ?? [];
    return this.finish(
      isDropped ? '' : filterControlSequence({ prefix, parameters, intermediates, final: unit }),
    );
  }

  /** Strings end with BEL (OSC only) or `ESC \`; any other ESC ends them too and begins a sequence of its own. */
  private nextInString(unit: string): string {
    if (this.isEscapeInString) {
      const ended = this.finish(unit === '\\' ? this.command() : '');
      if (unit === '\\') {
        return ended;
      }
      this.enter('escape');
      return this.next(unit);
    }
    if (unit === escape) {
      this.isEscapeInString = true;
    } else if (unit === cancel || unit === substitute) {
      return this.finish('');
    } else if (unit === bell && this.state !== 'dropped string') {
      return this.finish(this.command());
    } else if (this.state === 'command') {
      this.collect(unit, 'dropped command');
    }
    return '';
  }

  private command(): string {
    if (this.state !== 'command') {
      return '';
    }
    const { output, clipboard } = filterCommand(this.collected, this.options.titlePrefix);
    return clipboard ? this.clipboardCommand(clipboard) : output;
  }

  private clipboardCommand(request: ClipboardRequest): string {
    if (
      request === 'write' &&
      this.options.mayWriteClipboard &&
      /^52;[cps]?;[A-Za-z0-9+/=]*$/.test(this.collected)
    ) {
      return `\x1b]${this.collected}\x07`;
    }
    this.options.onClipboard(request);
    return '';
  }

  private collect(unit: string, whenTooLong: State): void {
    if (this.collected.length >= this.longest && !this.mayBeLonger()) {
      this.collected = '';
      this.state = whenTooLong;
      return;
    }
    this.collected += unit;
  }

  /** Asked once for each sequence: to look at a text that grows by one each time makes V8 copy all of it each time. */
  private mayBeLonger(): boolean {
    if (this.state !== 'command' || !this.collected.startsWith('52;')) return false;
    if (!this.options.mayWriteClipboard || this.longest === longestClipboard) {
      this.options.onClipboard('write');
      return false;
    }
    this.longest = longestClipboard;
    return true;
  }

  private enter(state: State): void {
    this.state = state;
    this.collected = '';
    this.longest = longestSequence;
    this.isEscapeInString = false;
  }

  private finish(output: string): string {
    this.enter('ground');
    return output;
  }
}
