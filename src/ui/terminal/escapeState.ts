/**
 * Follows a stream of terminal output just closely enough to know where an escape sequence of our own may be put in:
 * only where the parser of the terminal is at rest ("ground" in the state diagram of vt100.net/emu/dec_ansi_parser,
 * which xterm.js implements). Also notices device status requests (`CSI 5 n`), because the terminal answers them
 * with the very text with which it answers ours.
 */
export class EscapeState {
  private state: 'ground' | 'escape' | 'intermediate' | 'control' | 'string' = 'ground';
  private endsWithBell = false;
  private parameters = '';

  /** Whether the terminal is outside every escape sequence. */
  get atGround(): boolean {
    return this.state === 'ground';
  }

  /** Takes the next UTF-16 unit of the output. Returns whether it completes a device status request. */
  next(unit: number): boolean {
    if (unit === cancel || unit === substitute) {
      this.state = 'ground';
    } else if (unit === escape) {
      this.state = 'escape';
    } else if (unit >= 0x80 && unit <= 0x9f) {
      // the one-unit forms of the sequences that start with ESC (ECMA-48, C1 set)
      this.introduce(unit - 0x40);
    } else if (this.state === 'control') {
      return this.nextInControl(unit);
    } else if (this.state === 'string') {
      this.state = unit === bell && this.endsWithBell ? 'ground' : 'string';
    } else if (this.state !== 'ground' && unit >= 0x20) {
      this.nextInEscape(unit);
    }
    return false;
  }

  private nextInEscape(unit: number): void {
    if (unit <= 0x2f) {
      this.state = 'intermediate';
    } else if (this.state === 'intermediate') {
      this.state = 'ground';
    } else {
      this.introduce(unit);
    }
  }

  /** What follows ESC: `[` a control sequence, `]` OSC, `P` DCS, `X` SOS, `^` PM, `_` APC, else it is complete. */
  private introduce(unit: number): void {
    const character = String.fromCharCode(unit);
    if (character === '[') {
      this.state = 'control';
      this.parameters = '';
    } else if (']PX^_'.includes(character)) {
      this.state = 'string';
      this.endsWithBell = character === ']';
    } else {
      this.state = 'ground';
    }
  }

  private nextInControl(unit: number): boolean {
    if (unit < 0x20 || unit === 0x7f) {
      return false;
    }
    if (unit < 0x40) {
      this.parameters = (this.parameters + String.fromCharCode(unit)).slice(0, maximumParameters);
      return false;
    }
    this.state = 'ground';
    return unit === smallN && /^0*5(?:[;:]|$)/.test(this.parameters);
  }
}

const bell = 0x07;
const cancel = 0x18;
const substitute = 0x1a;
const escape = 0x1b;
const smallN = 0x6e;
/** units of a control sequence's parameters that are looked at */
const maximumParameters = 32;
