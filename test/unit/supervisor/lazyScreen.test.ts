import assert from 'node:assert/strict';
import { LazyScreen } from '../../../src/supervisor/lazyScreen';

const dimensions = { columns: 20, rows: 5 };

function setUp(): { answers: string[]; screen: LazyScreen; parsed: () => Promise<void> } {
  const answers: string[] = [];
  const screen = new LazyScreen(dimensions, (answer) => answers.push(answer));
  return { answers, screen, parsed: () => new Promise((resolve) => screen.whenParsed(resolve)) };
}

describe('LazyScreen', () => {
  it('is empty before the first output, and says so at once', async () => {
    const { screen, parsed } = setUp();
    await parsed();
    assert.equal(screen.snapshot(), '');
    assert.equal(screen.pending, 0);
    assert.deepEqual(screen.dimensions, dimensions);
  });

  it('answers with the first output when it was made before', async () => {
    const { answers, screen } = setUp();
    await screen.prepare();
    await new Promise<void>((parsed) => screen.write('\x1b[6n', parsed));
    assert.deepEqual(answers, ['\x1b[1;1R']);
    await screen.prepare();
    assert.equal(screen.snapshot(), '', 'made once');
  });

  it('keeps the order of what comes while it is being made', async () => {
    const { answers, screen, parsed } = setUp();
    const progress: number[] = [];
    screen.write('one ', () => progress.push(1));
    screen.write('two \x1b[6n', () => progress.push(2));
    assert.equal(screen.pending, 12);
    await parsed();
    assert.equal(screen.pending, 0);
    assert.equal(screen.snapshot(), 'one two ');
    assert.deepEqual(progress, [1, 2]);
    assert.deepEqual(answers, ['\x1b[1;9R']);
  });

  it('has the size that was said last, before it is made, while it is, and afterwards', async () => {
    const { screen, parsed } = setUp();
    screen.resize({ columns: 10, rows: 5 });
    screen.write('0123456789ab', () => undefined);
    screen.resize({ columns: 40, rows: 5 });
    screen.resize({ columns: 12, rows: 5 });
    assert.deepEqual(screen.dimensions, { columns: 12, rows: 5 });
    await parsed();
    screen.write('\x1b[H\x1b[J0123456789abcd', () => undefined);
    await parsed();
    assert.match(screen.snapshot(), /0123456789abcd/, 'a wrapped line, of which the snapshot makes one');
    screen.resize({ columns: 30, rows: 6 });
    assert.deepEqual(screen.dimensions, { columns: 30, rows: 6 });
  });

  it('is not made any more when it is not needed any more', async () => {
    const { answers, screen } = setUp();
    screen.write('\x1b[6n', () => undefined);
    screen.dispose();
    // made and parsed after this one would have been
    const later = setUp();
    later.screen.write('\x1b[6n', () => undefined);
    await later.parsed();
    assert.deepEqual(later.answers, ['\x1b[1;1R']);
    assert.deepEqual(answers, []);
    assert.equal(screen.snapshot(), '');
  });
});
