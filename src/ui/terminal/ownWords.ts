import { EscapeState } from './escapeState';

/**
 * Our own lines on a terminal until its program shows something. A program with a full-screen interface asks the
 * terminal questions, switches screens and fills them with spaces seconds before it paints (opencode: four, measured):
 * until then our lines stand on its empty screen, and before it paints they are wiped off, so that it finds the screen
 * as it left it.
 */
export class OwnWords {
  private readonly lines: string[] = [];
  private readonly escapes = new EscapeState();
  /** `alone`: no output yet; `over`: on a screen of the program that shows nothing yet */
  private place: 'alone' | 'over' | 'gone' = 'alone';
  private isPainted = false;
  /** a space that has a colour is to be seen */
  private hasBackground = false;

  /** Whether the program has not said anything yet. */
  get areAlone(): boolean {
    return this.place === 'alone';
  }

  /** @returns what adds a line, plain text, as long as the program shows nothing */
  add(line: string): string {
    if (this.place === 'gone') return '';
    this.lines.push(line);
    if (this.place === 'alone') return `${line}\r\n`;
    return this.isPainted ? this.painted() : '';
  }

  /**
   * @param data output of the program, as it comes
   * @returns what comes before it and what comes after it
   */
  around(data: string): { readonly before: string; readonly after: string } {
    if (this.place === 'gone') return nothing;
    // the supervisor's picture of the screen begins on an empty one
    const before = this.place === 'alone' ? resetTerminal : this.isPainted ? wipe : '';
    this.place = this.shows(data) ? 'gone' : 'over';
    // between the halves of a sequence nothing of ours may stand
    this.isPainted = this.place === 'over' && this.escapes.atGround;
    return { before, after: this.isPainted ? this.painted() : '' };
  }

  private painted(): string {
    return `${saveCursor}${home}${this.lines.join('\r\n')}${restoreCursor}`;
  }

  private shows(data: string): boolean {
    this.hasBackground ||= setsBackground(data);
    const firstVisible = this.hasBackground ? 0x20 : 0x21;
    for (let index = 0; index < data.length; index += 1) {
      const unit = data.charCodeAt(index);
      const wasAtGround = this.escapes.atGround;
      this.escapes.next(unit);
      if (wasAtGround && this.escapes.atGround && isVisible(unit, firstVisible)) return true;
    }
    return false;
  }
}

const nothing = { before: '', after: '' };

/**
 * Whether there is an SGR with a background colour, or reversed (ECMA-48 8.3.117); at worst our words go too early.
 * The parameters are looked at apart: one pattern for all of it would try each of them, in thousands of them, anew.
 */
function setsBackground(data: string): boolean {
  for (const [, parameters = ''] of data.matchAll(graphicRendition)) {
    if (parameters.split(/[;:]/).some((parameter) => background.test(parameter))) return true;
  }
  return false;
}

const graphicRendition = /\x1b\[([\d;:]*)m/g;
const background = /^(?:7|4[0-8]|10[0-7])$/;

function isVisible(unit: number, firstVisible: number): boolean {
  return unit >= firstVisible && (unit < 0x7f || unit > 0x9f);
}

/** RIS: an empty screen in the initial state. */
const resetTerminal = '\x1bc';
/** DECSC and DECRC, which keep colours, too. A program that saved its cursor before it shows anything finds ours. */
const saveCursor = '\x1b7';
const restoreCursor = '\x1b8';
const plain = '\x1b[m';
const home = `${plain}\x1b[H`;
const wipe = `${saveCursor}${plain}\x1b[2J${restoreCursor}`;
