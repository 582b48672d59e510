import assert from 'node:assert/strict';
import { plainLine, PlainLines } from '../../../scripts/try/terminalText';

describe('plainLine', () => {
  const cases: readonly (readonly [what: string, line: string, plain: string])[] = [
    ['colours', '\x1b[1;31mred\x1b[0m text', 'red text'],
    ['a window title', 'a\x1b]0;evil\x07b', 'ab'],
    ['a clipboard write', 'a\x1b]52;c;ZXZpbA==\x1b\\b', 'ab'],
    ['a device control string', 'a\x1bP1$r0m\x1b\\b', 'ab'],
    ['cursor movements', '\x1b[2K\x1b[1Gabc\x1b7\x1b8', 'abc'],
    ['a carriage return', 'abc\r', 'abc'],
    ['characters that reverse a text', 'a\u202eb', 'a\ufffdb'],
    ['8-bit control characters', 'a\u009b31mb', 'a\ufffd31mb'],
    ['a sequence without an end', 'a\x1b[31', 'a31'],
    ['a tab', 'a\tb', 'a\tb'],
  ];
  for (const [what, line, plain] of cases) {
    it(`makes harmless: ${what}`, () => assert.equal(plainLine(line), plain));
  }
});

describe('PlainLines', () => {
  it('writes lines when they are whole, even when a sequence comes in two pieces', () => {
    const written: string[] = [];
    const lines = new PlainLines((line) => written.push(line));
    lines.add('one\r\ntw\x1b[3');
    assert.deepEqual(written, ['one']);
    lines.add('1mo\nrest');
    assert.deepEqual(written, ['one', 'two']);
    lines.end();
    assert.deepEqual(written, ['one', 'two', 'rest']);
  });
});
