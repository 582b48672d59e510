/**
 * Which escape sequences of a program in the sandbox reach the user's terminal: an allow-list, because terminals grow
 * new ones (ECMA-48; ctlseqs of xterm; the state names are those of vt100.net/emu/dec_ansi_parser). Pure: each
 * function takes one complete sequence and returns what takes its place; the empty text drops it.
 */

/** A control sequence, `CSI prefix parameters intermediates final`. */
export interface ControlSequence {
  /** `?`, `>`, `=`, `<`, or nothing */
  readonly prefix: string;
  /** digits, `;` and `:` */
  readonly parameters: string;
  /** space to `/` */
  readonly intermediates: string;
  readonly final: string;
}

/** What a program asked of the clipboard, which the filter holds back. */
export type ClipboardRequest = 'write' | 'read';

/** Cursor movement, erasing, scrolling, tabs, colours, modes and queries whose answers are fixed by the terminal. */
const plainFinals = new Set('@ABCDEFGHIJKLMPSTXZ`abdefgmnrsu');

/**
 * With prefix or intermediates: DECSED/DECSEL, DECSET/DECRST and their queries, device attributes, key and keyboard
 * protocols, XTVERSION, cursor shape, soft reset. DSR with `?` asks for the colour scheme and the like.
 */
const specialSequences = new Set([
  '?J',
  '?K',
  '?h',
  '?l',
  '?n',
  '?u',
  '?$p',
  '$p',
  '>c',
  '=c',
  '>m',
  '?m',
  '>n',
  '>u',
  '<u',
  '=u',
  '>q',
  ' q',
  '!p',
  '?r',
  '?s',
]);

/** DEC private modes that change how the terminal shows or reports; all others are dropped. */
const privateModes = new Set([
  1, 3, 5, 6, 7, 8, 12, 25, 45, 47, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1047, 1048,
  1049, 2004, 2026, 2027, 2031,
]);

/** Window operations that only report a size (14, 16, 18, 19); 20 and 21 would answer with a title, which types. */
const sizeReports = new Set(['14', '16', '18', '19']);

/** The control sequence that is passed on in the place of this one. */
export function filterControlSequence(sequence: ControlSequence): string {
  const { prefix, parameters, intermediates, final } = sequence;
  const kind = prefix + intermediates + final;
  if (kind === 'c') {
    return write(sequence);
  }
  if (kind === 't') {
    return sizeReports.has(parameters.split(';')[0] ?? '') ? write(sequence) : '';
  }
  if (kind === '?h' || kind === '?l') {
    const modes = parameters.split(';').filter((mode) => privateModes.has(Number(mode)));
    return modes.length > 0 ? write({ ...sequence, parameters: modes.join(';') }) : '';
  }
  if (kind === 'h' || kind === 'l') {
    // 4 insert mode, 20 line feed mode
    return ['4', '20'].includes(parameters) ? write(sequence) : '';
  }
  return plainFinals.has(kind) || specialSequences.has(kind) ? write(sequence) : '';
}

function write({ prefix, parameters, intermediates, final }: ControlSequence): string {
  const limit = repeated.has(prefix + intermediates + final) ? mostRepeats : largestNumber;
  const clamped = parameters.replace(/\d+/g, (digits) => String(Math.min(Number(digits), limit)));
  return `\x1b[${prefix}${clamped}${intermediates}${final}`;
}

/**
 * Terminals do these as many times as the number says: 2^31 - 1 lines to scroll keep xterm.js busy for an hour
 * (measured). Few screens have more lines, and a program can ask twice.
 */
const repeated = new Set('@ILMPSTXZb');
const mostRepeats = 120;

/** Modes, colours and positions need no more (a mode has four digits, a position five at most). */
const largestNumber = 99_999;

/** Cursor save and restore, keypads, index, next line, tab stop, reverse index, single shifts, full reset. */
const plainEscapes = new Set('78=>DEHMNOc');

/** The escape sequence `ESC intermediates final` that is passed on in the place of this one. */
export function filterEscape(intermediates: string, final: string): string {
  const isCharacterSet = /^[()*+\-./]$/.test(intermediates) && /^[0-9A-Za-z]$/.test(final);
  const isAlignment = intermediates === '#' && /^[3-68]$/.test(final);
  return isCharacterSet || isAlignment || (intermediates === '' && plainEscapes.has(final))
    ? `\x1b${intermediates}${final}`
    : '';
}

/** Colours: the palette, foreground, background, cursor, and their resets. */
const colourCommands = new Set(['4', '10', '11', '12', '17', '19', '104', '110', '111', '112', '117', '119']);

/** A title longer than that does not fit a tab. */
const longestTitle = 80;

export interface FilteredCommand {
  readonly output: string;
  readonly clipboard?: ClipboardRequest;
}

/**
 * The operating system command `OSC body ST` that is passed on in the place of this one.
 *
 * @param titlePrefix stands before every title, so that nothing in the sandbox can pass for another terminal
 */
export function filterCommand(body: string, titlePrefix: string): FilteredCommand {
  const end = body.indexOf(';');
  const command = end < 0 ? body : body.slice(0, end);
  const value = end < 0 ? '' : body.slice(end + 1);
  if (['0', '1', '2'].includes(command)) {
    return { output: osc(`0;${titlePrefix}${plainTitle(value)}`) };
  }
  if (colourCommands.has(command)) {
    return { output: /^[\w#:;/?.-]*$/.test(value) ? osc(body) : '' };
  }
  if (command === '8') {
    return { output: hyperlink(value) };
  }
  if (command === '52') {
    return { output: '', clipboard: value.endsWith(';?') ? 'read' : 'write' };
  }
  return { output: '' };
}

function osc(body: string): string {
  return `\x1b]${body}\x07`;
}

/** Without control characters and those that change the direction of text (Unicode Bidi_Control, UAX #9). */
function plainTitle(title: string): string {
  const plain = title.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '').slice(0, longestTitle);
  return plain === '' ? '' : `: ${plain}`;
}

/** Only links to the web; any other ends the link before it, so that no text gets an address that is not its own. */
function hyperlink(value: string): string {
  const [parameters = '', ...rest] = value.split(';');
  const address = rest.join(';');
  const isWeb = /^https?:\/\/[\x21-\x7e]+$/.test(address) && /^[\w=:.-]*$/.test(parameters);
  return isWeb ? osc(`8;${parameters};${address}`) : osc('8;;');
}
