import assert from 'node:assert/strict';
import { Terminal } from '@xterm/headless';
import { EscapeFilter } from '../../../src/supervisor/escapeFilter';

function filterOf(mayWriteClipboard = false) {
  const clipboard: string[] = [];
  const filter = new EscapeFilter({
    titlePrefix: 'Sandboxed Agent',
    mayWriteClipboard,
    onClipboard: (request) => clipboard.push(request),
  });
  return { filter, clipboard };
}

const filtered = (output: string): string => filterOf().filter.filter(output);

const kept: readonly string[] = [
  'plain text, ünïcödé 漢字 🎉\r\n\t\b\x07',
  '\x1b[0m\x1b[38;2;1;2;3m\x1b[48:2::1:2:3m\x1b[4:3m',
  '\x1b[1;1H\x1b[2J\x1b[K\x1b[10;20r\x1b[3S\x1b[2T\x1b[5@\x1b[3P\x1b[2M\x1b[4L\x1b[7X\x1b[2b\x1b[3g',
  '\x1b[?1049h\x1b[?25l\x1b[?1000;1002;1003;1006h\x1b[?2004h\x1b[?2026h\x1b[?2027h\x1b[?2031h\x1b[?1004h',
  '\x1b[>4;1m\x1b[>5u\x1b[<u\x1b[?u\x1b[=1;1u\x1b[>0q\x1b[ q\x1b[5 q\x1b[!p',
  '\x1b[c\x1b[>c\x1b[5n\x1b[6n\x1b[?996n\x1b[?2026$p\x1b[14t\x1b[18t',
  '\x1b7\x1b8\x1b=\x1b>\x1bM\x1bD\x1bE\x1bc\x1b(B\x1b)0\x1b#8\x0e\x0f',
  '\x1b]10;?\x07\x1b]11;rgb:00/11/22\x07\x1b]4;1;?\x07\x1b]112\x07',
  '\x1b]8;;https://example.org/a?b=c\x07link\x1b]8;;\x07',
  '\x1b]8;id=x1;http://example.org\x07link\x1b]8;;\x07',
];

const dropped: readonly [name: string, output: string][] = [
  ['clipboard, ended by BEL', '\x1b]52;c;aGVsbG8=\x07'],
  ['clipboard, ended by ST', '\x1b]52;c;aGVsbG8=\x1b\\'],
  ['reading the clipboard', '\x1b]52;c;?\x07'],
  ['VS Code’s shell integration', '\x1b]633;A\x07\x1b]633;E;rm -rf /\x07\x1b]133;A\x07'],
  ['iTerm2’s commands and images', '\x1b]1337;File=inline=1:AAAA\x07\x1b]1337;SetUserVar=a=b\x07'],
  ['the working directory', '\x1b]7;file:///etc\x07\x1b]9;9;/etc\x07'],
  ['notifications', '\x1b]9;hello\x07\x1b]777;notify;a;b\x07\x1b]99;;x\x1b\\'],
  ['sixel images', '\x1bPq#0;2;0;0;0~~\x1b\\'],
  ['DECRQSS, whose answer echoes', '\x1bP$qm\x1b\\'],
  ['XTGETTCAP', '\x1bP+q544e\x1b\\'],
  ['tmux pass-through', '\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\'],
  ['kitty images', '\x1b_Gf=100;AAAA\x1b\\'],
  ['SOS and PM', '\x1bXhello\x1b\\\x1b^hello\x1b\\'],
  ['reports of the title, which type it', '\x1b[20t\x1b[21t'],
  ['moving and resizing the window', '\x1b[3;0;0t\x1b[8;10;10t\x1b[2t'],
  ['ENQ, the answerback', '\x05'],
  ['one-unit controls', '\x9b5n\x9d52;c;aGk=\x9c\x90q\x9c'],
  ['modes that are not known', '\x1b[?9999h\x1b[?1001h\x1b[99h'],
  ['media copy (printing)', '\x1b[4i\x1b[?5i'],
  ['memory locks and vendor escapes', '\x1bl\x1bm\x1b%G'],
  ['a control sequence longer than any', `\x1b[${'1;'.repeat(5000)}m`],
];

describe('EscapeFilter', () => {
  for (const output of kept) {
    it(`keeps ${JSON.stringify(output.slice(0, 60))}`, () => {
      assert.equal(filtered(output), output);
    });
  }

  for (const [name, output] of dropped) {
    it(`drops ${name}`, () => {
      const rest = filtered(`<${output}>`);
      // what stood in one-unit strings is text then, which does nothing
      assert.equal(rest.replaceAll(/5n|52;c;aGk=|q/g, ''), '<>', JSON.stringify(rest));
    });
  }

  it('lets the allowed ones of several modes through', () => {
    assert.equal(filtered('\x1b[?25;9999;1006h'), '\x1b[?25;1006h');
  });

  it('lets no number keep a terminal busy', () => {
    for (const final of '@ILMPSTXZb') {
      assert.equal(filtered(`\x1b[2147483647${final}`), `\x1b[120${final}`);
    }
    assert.equal(filtered('\x1b[2147483647;5H'), '\x1b[99999;5H');
    assert.equal(filtered('\x1b[38;2;255;0;128m\x1b[?2004h'), '\x1b[38;2;255;0;128m\x1b[?2004h');
  });

  it('cuts a tower of marks on one character', () => {
    assert.equal(filtered(`e${'\u0301'.repeat(5000)}x`), `e${'\u0301'.repeat(10)}x`);
    assert.equal(filtered('👩‍👩‍👧‍👦 é नि'), '👩‍👩‍👧‍👦 é नि');
    for (const nothing of ['\u200b', '\u1160', '\u2060', '\u202e', '\ufeff', '\u0301\x7f', '\u0301\x1b[m']) {
      const tower = filtered(`e${nothing.repeat(5000)}x`);
      assert.ok(
        [...tower].filter((character) => !/[\x1b[m]/.test(character)).length <= 12,
        JSON.stringify(nothing),
      );
    }
  });

  it('puts our prefix before a title, and takes control and direction characters out of it', () => {
    assert.equal(filtered('\x1b]0;a\u202Eb\u0085c\x07'), '\x1b]0;Sandboxed Agent: abc\x07');
    assert.equal(filtered('\x1b]2;\x07'), '\x1b]0;Sandboxed Agent\x07');
    assert.ok(filtered(`\x1b]0;${'x'.repeat(4000)}\x07`).length < 120);
  });

  it('ends a link to anything but the web', () => {
    for (const address of [
      'file:///etc/passwd',
      'command:x',
      'vscode://x',
      'javascript:alert(1)',
      'https://a b',
    ]) {
      assert.equal(filtered(`\x1b]8;;${address}\x07`), '\x1b]8;;\x07');
    }
  });

  it('takes no longer for each letter of a long copy than for one of a short one', () => {
    // it took a minute for half as much, in which its supervisor did nothing else
    const copy = `\x1b]52;c;${'QUFB'.repeat(300_000)}\x07`;
    const filter = new EscapeFilter({
      titlePrefix: '',
      mayWriteClipboard: true,
      onClipboard: () => assert.fail('held back'),
    });
    assert.equal(filter.filter(copy), copy);
  });

  it('says that a copy was held back, also one of 100 kB that is cut in two', () => {
    const { filter, clipboard } = filterOf();
    const copy = `\x1b]52;c;${'QUFB'.repeat(25_000)}`;
    assert.equal(
      filter.filter(copy.slice(0, 50_000)) + filter.filter(`${copy.slice(50_000)}\x1b\\after`),
      'after',
    );
    assert.deepEqual(clipboard, ['write']);
    filter.filter('\x1b]52;c;?\x07');
    assert.deepEqual(clipboard, ['write', 'read']);
  });

  it('lets a copy through when the user allowed it, but never a question', () => {
    const { filter, clipboard } = filterOf(true);
    const copy = `\x1b]52;c;${'QUFB'.repeat(25_000)}`;
    assert.equal(filter.filter(`${copy}\x1b\\`), `${copy}\x07`);
    assert.equal(filter.filter('\x1b]52;c;?\x07\x1b]52;c;not base64\x07'), '');
    assert.deepEqual(clipboard, ['read', 'write']);
  });

  it('drops a string to its end, however long, and keeps nothing of it', () => {
    const { filter } = filterOf();
    assert.equal(filter.filter(`\x1bP${'x\x07'.repeat(100_000)}`), '');
    assert.equal(filter.filter('\x1b\\after'), 'after');
    assert.equal(filter.filter(`\x1b]777;${'x'.repeat(100_000)}\x07after`), 'after');
  });

  it('begins a new sequence where a string is cut by one', () => {
    assert.equal(filtered('\x1b]0;title\x1b[31mred'), '\x1b[31mred');
    assert.equal(filtered('\x1bPxx\x1b]52;c;aGk=\x07text'), 'text');
    assert.equal(filtered('\x1b]52;c;a\x18text'), 'text');
  });

  it('gives the same whatever the pieces are', () => {
    const all = [
      ...kept,
      ...dropped.map(([, output]) => output),
      '\x1b]0;title\x1b\\',
      '\x1b\x1b[31m',
      '\x1b[3\x18x',
    ].join('');
    const whole = filtered(all);
    for (let size = 1; size < 40; size++) {
      const { filter } = filterOf();
      let pieces = '';
      for (let start = 0; start < all.length; start += size) {
        pieces += filter.filter(all.slice(start, start + size));
      }
      assert.equal(pieces, whole, `pieces of ${size}`);
    }
  });

  it('lets nothing through that a terminal takes for anything else, from 3000 random streams', async () => {
    const seen: string[] = [];
    const terminal = new Terminal({ allowProposedApi: true });
    for (const command of [7, 9, 52, 133, 633, 777, 1337]) {
      terminal.parser.registerOscHandler(command, () => seen.push(`OSC ${command}`) > 0);
    }
    terminal.parser.registerOscHandler(0, (title) => {
      if (!title.startsWith('Sandboxed Agent')) {
        seen.push(`title ${title}`);
      }
      return true;
    });
    for (const final of ['q', 'p', '|', '{']) {
      terminal.parser.registerDcsHandler({ final }, () => seen.push(`DCS ${final}`) > 0);
      terminal.parser.registerDcsHandler({ intermediates: '$', final }, () => seen.push(`DCS $${final}`) > 0);
    }
    const atoms = [
      '\x1b',
      '[',
      ']',
      'P',
      '52',
      ';',
      'c',
      '?',
      '\x07',
      '\\',
      '\x9c',
      '\x9d',
      '\x90',
      '\x18',
      'q',
      '$',
      '0',
      '633',
      'x',
      '\x1b]52;c;aGk=\x07',
      '\x1bP$qm\x1b\\',
    ];
    // a fixed sequence of numbers (linear congruential generator of Numerical Recipes)
    let random = 1;
    const next = (below: number): number => {
      random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
      return Math.floor((random / 2 ** 32) * below);
    };
    const { filter } = filterOf();
    for (let round = 0; round < 3000; round++) {
      const stream = Array.from({ length: 1 + next(30) }, () => atoms[next(atoms.length)] ?? '').join('');
      terminal.write(filter.filter(stream));
    }
    await new Promise<void>((resolve) => terminal.write('', resolve));
    assert.deepEqual(seen, []);
  });
});
