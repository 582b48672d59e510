import assert from 'node:assert/strict';
import { PullOutput, type PullProgress } from '../../../src/apptainer/pullOutput';
import { formatMessage } from '../../../src/sandbox/message';

const info = (text: string): string => `\u001b[34mINFO:   \u001b[0m ${text}\r\n`;

/** What Apptainer 1.4.5 wrote to a terminal of 120 columns (recorded; the bars are shorter). */
const recorded = [
  info('Converting OCI blobs to SIF format'),
  info('Starting build...'),
  info('Fetching OCI image...'),
  '11.5MiB / 11.5MiB [====] 100 %0s\r\n10.4MiB / 34.3MiB [==>-] 30 % 56.1 MiB/s 0s\r\n8.4MiB / 22.9MiB [=>--] 37 % 45.5 MiB/s 0s\r\n',
  '\u001b[3A\u001b[J11.5MiB / 11.5MiB [====] 100 % 56.1 MiB/s 0s\r\n20.0MiB / 34.3MiB [====] 100 % 56.1 MiB/s 0s\r\n900.0KiB / 22.9MiB [====] 100 % 56.1 MiB/s 0s\r\n',
  '\u001b[3A\u001b[J11.5MiB / 11.5MiB [====] 100 % 56.1 MiB/s 0s\r\n34.3MiB / 34.3MiB [====] 100 % 56.1 MiB/s 0s\r\n22.9MiB / 22.9MiB [====] 100 % 56.1 MiB/s 0s\r\n\u001b[3A\u001b[J',
  info('Extracting OCI image...'),
  info('Inserting Apptainer configuration...'),
  info('Creating SIF file...'),
  '[=>---] 9 % 9s\r\n\u001b[1A\u001b[J[===>--] 58 % 1s\r\n\u001b[1A\u001b[J[=====] 100 % 0s\r\n',
];

/** Feeds pieces, half a second apart. */
function read(pieces: readonly string[]): { progress: PullProgress[]; texts: string[]; lines: string[] } {
  const progress: PullProgress[] = [];
  const lines: string[] = [];
  let time = 1000;
  const output = new PullOutput(
    (each) => progress.push(each),
    (line) => lines.push(line),
    () => (time += 500),
  );
  pieces.forEach((piece) => output.push(piece));
  return { progress, texts: progress.map(({ text }) => formatMessage(text)), lines };
}

describe('PullOutput', () => {
  it('sums up the bars of all layers, and names the stages', () => {
    const { texts, lines } = read(recorded);
    assert.deepEqual(texts, [
      'Asking the registry…',
      'Downloading…',
      'Downloading: 31.8 of 72.0 MB',
      'Downloading: 34.0 of 72.0 MB, 4.4 MB/s',
      'Downloading: 72.0 of 72.0 MB, 76.2 MB/s',
      'Unpacking…',
      'Writing the image…',
      'Writing the image: 9 %',
      'Writing the image: 58 %',
      'Writing the image: 100 %',
    ]);
    assert.equal(lines.length, 6);
    assert.equal(lines[0], 'INFO:    Converting OCI blobs to SIF format');
  });

  it('never goes back', () => {
    const { progress } = read([...recorded, ...recorded]);
    assert.ok(progress.every(({ percent }, index) => percent >= (progress[index - 1]?.percent ?? 0)));
    assert.equal(progress.at(-1)?.percent, 100);
  });

  it('reads the same however it is cut', () => {
    const whole = read(recorded);
    const pieces = read(recorded.join('').split(''));
    assert.deepEqual(pieces.lines, whole.lines);
    assert.deepEqual(
      pieces.texts.map((text) => text.replace(/, [\d.]+ MB\/s/, '')),
      whole.texts.map((text) => text.replace(/, [\d.]+ MB\/s/, '')),
    );
  });

  it('says when nothing has to be fetched', () => {
    assert.deepEqual(read([info('Using cached SIF image')]).texts, [
      'Copying the image, which was pulled before…',
    ]);
  });

  it('keeps no line without end, and takes no number for another', () => {
    const { lines, texts } = read(['x'.repeat(100_000), '\n', 'FATAL: 5 of [x] 12 %\n1MiB / 2MiB\n']);
    assert.ok((lines[0]?.length ?? 0) <= 8192);
    assert.deepEqual(texts, []);
  });

  it('says that nothing comes when nothing comes, and no more once something does', () => {
    const texts: string[] = [];
    let time = 0;
    const output = new PullOutput(
      ({ text }) => texts.push(formatMessage(text)),
      () => undefined,
      () => time,
    );
    const after = (seconds: number, piece = ''): string[] => {
      time += seconds * 1000;
      output.push(piece);
      output.tick();
      return texts.splice(0);
    };
    assert.deepEqual(after(4), []);
    const silent = 'The registry has not answered for 6 s. It may take no more pulls for now';
    assert.ok(after(2)[0]?.startsWith(silent));
    // without numbers nobody knows whether anything comes
    assert.deepEqual(after(0, info('Fetching OCI image...')), ['Downloading…']);
    assert.deepEqual(after(60), []);
    const bar = (megabytes: number): string => `\u001b[1A\u001b[J${megabytes}.0MB / 9.0MB [=>-] 30 % 1s\r\n`;
    assert.deepEqual(after(1, bar(3) + bar(3)), ['Downloading: 3.0 of 9.0 MB']);
    assert.equal(after(7, bar(3)).at(-1), 'Downloading: nothing has come for 7 s');
    assert.match(after(1, bar(4) + bar(4)).at(-1) ?? '', /^Downloading: 4\.0 of 9\.0 MB/);
    after(1, bar(9) + bar(9));
    assert.ok(after(60).every((text) => !/nothing/.test(text)));
    after(1, info('Creating SIF file...'));
    assert.deepEqual(after(60), []);
  });
});
