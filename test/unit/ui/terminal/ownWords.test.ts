import assert from 'node:assert/strict';
import { Terminal } from '@xterm/headless';
import { OwnWords } from '../../../../src/ui/terminal/ownWords';
import { assertNoSlower } from '../../../support/linearWork';

/** What opencode says when it starts, seconds before it paints (recorded). */
const questions =
  '\x1b[?2031h\x1b]10;?\x07\x1b[>0q\x1b[?25l\x1b[s\x1b[6n\x1bP+q4d73\x1b\\\x1b[?u\x1b]66;w=1; \x1b\\\x1b[u\x1b[?1049h\x1b[?2004h';

describe('our own words on a terminal', () => {
  let words: OwnWords;
  let terminal: Terminal;

  beforeEach(() => {
    words = new OwnWords();
    terminal = new Terminal({ cols: 40, rows: 5, allowProposedApi: true });
  });

  const write = (text: string): Promise<void> => new Promise((resolve) => terminal.write(text, resolve));

  function print(data: string): Promise<void> {
    const { before, after } = words.around(data);
    return write(before + data + after);
  }

  function screen(): string {
    const { active } = terminal.buffer;
    const rows = Array.from({ length: 5 }, (_, row) => active.getLine(row)?.translateToString(true));
    return rows.join('\n').trimEnd();
  }

  it('stay while a program asks the terminal questions and switches screens', async () => {
    await write(words.add('Starting…'));
    await print(questions);
    assert.equal(terminal.buffer.active.type, 'alternate');
    assert.equal(screen(), 'Starting…');
    await write(words.add('Verified.'));
    assert.equal(screen(), 'Starting…\nVerified.');
  });

  it('stay while it fills its screen with spaces that have no colour', async () => {
    await write(words.add('Starting…'));
    await print(questions);
    await print(`\x1b[1;1H\x1b[38;5;15m\x1b[49m${' '.repeat(40 * 5)}`);
    assert.equal(screen(), 'Starting…');
    await print('\x1b[2;3Hnow');
    assert.equal(screen(), '\n  now');
  });

  it('are gone, and the cursor and the colours are the program’s, when it paints', async () => {
    await write(words.add('a line of ours that is long'));
    await print(`${questions}\x1b[3;5H\x1b[31m`);
    await print('now');
    assert.equal(screen(), '\n\n    now');
    assert.equal(terminal.buffer.active.getLine(2)?.getCell(4)?.getFgColor(), 1);
    assert.equal(words.add('too late'), '');
  });

  it('go at once where a program just prints, even a space with a colour', async () => {
    await write(words.add('Starting…'));
    await print('\x1b[1;44m ');
    assert.equal(screen(), '');
    assert.deepEqual(words.around('more'), { before: '', after: '' });
  });

  for (const [sequence, isSeen] of Object.entries({
    ...{ '7m': true, '40m': true, '48;5;15m': true, '100m': true, '107m': true },
    ...{ '1;44m': true, '44;1m': true, ';;7;m': true, '38;5;1;48:2::1:2:3m': true, '38:5:7m': true },
    ...{ m: false, '49m': false, '17m': false, '70m': false, '39;4m': false, '108m': false, '1047m': false },
    ...{ '07m': false, '7H': false, '?7m': false, '7$m': false },
  })) {
    it(`${isSeen ? 'go' : 'stay'} when a space follows CSI ${sequence}`, () => {
      words.add('Starting…');
      words.around(`\x1b[31m\x1b[${sequence} `);
      assert.equal(words.add('Verified.') === '', isSeen);
    });
  }

  it('cost no more for a sequence that is made to cost much than for another one', () => {
    const sequence = (parameter: string): string => `\x1b[${`${parameter};`.repeat(40_000)}H`;
    assertNoSlower((data) => words.around(data), sequence('7'), sequence('1'));
  });

  it('never stand between the halves of a sequence', async () => {
    await write(words.add('Starting…'));
    await print('\x1b[?25l\x1b[3');
    await print('1m');
    assert.equal(screen(), 'Starting…');
    await print('\x1b]0;a ti');
    assert.equal(words.add('Verified.'), '');
    await print('tle\x07text');
    assert.equal(screen(), 'text');
    assert.equal(terminal.buffer.active.getLine(0)?.getCell(0)?.getFgColor(), 1);
  });
});
