import assert from 'node:assert/strict';
import { OutputAcknowledgement } from '../../../../src/ui/terminal/acknowledgement';

const request = '\x1b[5n';
const answer = '\x1b[0n';

/** Feeds output in pieces of this size; returns what the terminal is given. */
function markInPieces(acknowledgement: OutputAcknowledgement, output: string, size: number): string {
  let written = '';
  for (let at = 0; at < output.length; at += size) {
    written += acknowledgement.mark(output.slice(at, at + size));
  }
  return written;
}

describe('OutputAcknowledgement', () => {
  it('leaves a little output as it is', () => {
    assert.equal(new OutputAcknowledgement().mark('hello\r\n'), 'hello\r\n');
  });

  it('marks a flood about every 32 k, and reports how far the terminal has come', () => {
    const acknowledgement = new OutputAcknowledgement();
    const flood = 'x'.repeat(99).concat('\n').repeat(1000);
    const written = markInPieces(acknowledgement, flood, 4096);
    const parts = written.split(request);
    assert.equal(parts.join(''), flood);
    assert.equal(parts.length - 1, 3);
    let total = 0;
    for (const part of parts.slice(0, -1)) {
      total += part.length;
      assert.deepEqual(acknowledgement.answer(answer), { input: '', parsed: total });
    }
    assert.ok(flood.length - total < 80_000, 'the rest must be less than the supervisor waits for');
  });

  for (const size of [1, 7, 4096, 1_000_000]) {
    it(`never leaves 80 k unmarked, in pieces of ${size}`, () => {
      const kinds = [
        'a'.repeat(200_000),
        'ä'.repeat(40_000) + '\n',
        '🎉'.repeat(10_000),
        '\x1b[31mred\x1b[0m'.repeat(20_000),
      ];
      const acknowledgement = new OutputAcknowledgement();
      const flood = kinds.join('').repeat(2);
      const parts = markInPieces(acknowledgement, flood, size).split(request);
      assert.equal(parts.join(''), flood);
      assert.ok(Math.max(...parts.map((part) => part.length)) < 80_000);
    });
  }

  it('never marks inside an escape sequence or a character', () => {
    const sequences = [
      '\x1b[38;2;1;2;3m',
      '\x1b]0;title\x07',
      '\x1b]8;;u\x1b\\',
      '\x1bP+q544e\x1b\\',
      '\x1b(B',
      '\x9b1m',
      '🎉',
    ];
    const flood = Array.from(
      { length: 40_000 },
      (_, index) => sequences[index % sequences.length] ?? '',
    ).join('');
    for (const size of [1, 3, 10_000]) {
      const written = markInPieces(new OutputAcknowledgement(), flood, size);
      const pieces = written.split(request);
      assert.ok(pieces.length > 3);
      for (const piece of pieces.slice(0, -1)) {
        assert.ok(
          sequences.some((sequence) => piece.endsWith(sequence)),
          JSON.stringify(piece.slice(-20)),
        );
      }
    }
  });

  it('marks a long string of an escape sequence only behind its end', () => {
    const acknowledgement = new OutputAcknowledgement();
    const link = `\x1b]52;c;${'A'.repeat(100_000)}\x07`;
    assert.equal(acknowledgement.mark(link), link + request);
    assert.deepEqual(acknowledgement.answer(answer), { input: '', parsed: link.length });
  });

  it('passes typed text on, and takes only the answers out of it', () => {
    const acknowledgement = new OutputAcknowledgement();
    acknowledgement.mark('\n'.repeat(40_000));
    assert.deepEqual(acknowledgement.answer(`a${answer}b`), { input: 'ab', parsed: 32_768 });
  });

  it('leaves the answers to the program’s own requests to the program', () => {
    const acknowledgement = new OutputAcknowledgement();
    acknowledgement.mark(request);
    acknowledgement.mark('\n'.repeat(40_000));
    acknowledgement.mark('\x1b[05n');
    assert.deepEqual(acknowledgement.answer(answer), { input: answer });
    assert.deepEqual(acknowledgement.answer(answer + answer), { input: answer, parsed: 32_768 });
    assert.deepEqual(acknowledgement.answer(answer), { input: answer });
  });
});
