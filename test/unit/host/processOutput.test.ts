import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { collectHead, collectTail, forEachLine } from '../../../src/host/processOutput';

async function feed(stream: PassThrough, chunks: readonly (string | Buffer)[]): Promise<void> {
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await finished(stream);
}

describe('collectHead and collectTail', () => {
  it('keep the begin and the end', async () => {
    const stream = new PassThrough();
    const head = collectHead(stream, 4);
    const tail = collectTail(stream, 4);
    await feed(stream, ['ab', 'cd', 'efghijklmnop', 'q']);
    assert.deepEqual(head.read(), { text: 'abcd', truncated: true });
    assert.deepEqual(tail.read(), { text: 'nopq', truncated: true });
  });

  it('keep all of what is short', async () => {
    const stream = new PassThrough();
    const head = collectHead(stream, 4);
    const tail = collectTail(stream, 4);
    await feed(stream, ['ab', 'cd']);
    assert.deepEqual(head.read(), { text: 'abcd', truncated: false });
    assert.deepEqual(tail.read(), { text: 'abcd', truncated: false });
  });
});

describe('forEachLine', () => {
  async function linesOf(chunks: readonly (string | Buffer)[]): Promise<string[]> {
    const stream = new PassThrough();
    const lines: string[] = [];
    forEachLine(stream, (line) => lines.push(line));
    await feed(stream, chunks);
    return lines;
  }

  it('puts characters and lines together that came in pieces', async () => {
    const bytes = Buffer.from('übung\nzwei');
    assert.deepEqual(await linesOf([bytes.subarray(0, 1), bytes.subarray(1)]), ['übung', 'zwei']);
  });

  it('cuts a line that does not end', async () => {
    const lines = await linesOf(['x'.repeat(20_000)]);
    assert.deepEqual(
      lines.map(({ length }) => length),
      [8192, 8192, 3616],
    );
  });
});
