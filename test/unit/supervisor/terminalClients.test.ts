import assert from 'node:assert/strict';
import { LazyScreen } from '../../../src/supervisor/lazyScreen';
import { Screen } from '../../../src/supervisor/screen';
import { TerminalClients, type TerminalSink } from '../../../src/supervisor/terminalClients';

const dimensions = { columns: 80, rows: 24 };

class Sink implements TerminalSink {
  data = '';
  resyncs = 0;

  send(data: string, resync: boolean): void {
    this.data += data;
    this.resyncs += resync ? 1 : 0;
  }
}

function setUp(ScreenKind: typeof Screen | typeof LazyScreen) {
  const calls: string[] = [];
  const screen = new ScreenKind(dimensions, (answer) => {
    if (!terminals.areAnswering) calls.push(`answer ${JSON.stringify(answer)}`);
  });
  const terminals: TerminalClients = new TerminalClients(screen, {
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    resize: ({ columns, rows }) => calls.push(`resize ${columns}x${rows}`),
  });
  const parsed = (): Promise<void> => new Promise((resolve) => screen.whenParsed(resolve));
  return { calls, screen, terminals, parsed };
}

for (const ScreenKind of [Screen, LazyScreen]) {
  describe(`TerminalClients with a ${ScreenKind.name}`, () => {
    it('gives a new window the present screen, then what follows', async () => {
      const { terminals, parsed } = setUp(ScreenKind);
      terminals.write('before');
      const sink = new Sink();
      terminals.attach(sink, dimensions);
      await parsed();
      terminals.write(' after');
      assert.equal(sink.data, 'before after');
    });

    it('loses nothing that comes while a new window waits for its first screen', async () => {
      const { terminals, parsed } = setUp(ScreenKind);
      terminals.write('before');
      const [first, second] = [new Sink(), new Sink()];
      terminals.attach(first, dimensions);
      terminals.write(' meanwhile');
      terminals.attach(second, dimensions);
      terminals.write(' after');
      await parsed();
      assert.equal(first.data, 'before meanwhile after');
      assert.equal(second.data, 'before meanwhile after');
    });

    it('answers what the program asked before a window came, and leaves to the window what it gets', async () => {
      const { calls, terminals, parsed } = setUp(ScreenKind);
      terminals.write('one\x1b[6n');
      const sink = new Sink();
      terminals.attach(sink, dimensions);
      terminals.write('two\x1b[6n');
      await parsed();
      terminals.write('three\x1b[6n');
      await parsed();
      assert.deepEqual(calls, [`answer ${JSON.stringify('\x1b[1;4R')}`]);
      assert.equal(sink.data, 'onetwo\x1b[6nthree\x1b[6n');
    });

    it('sends nothing more to a window that does not acknowledge, and the screen once it has caught up', async () => {
      const { terminals, parsed } = setUp(ScreenKind);
      const sink = new Sink();
      terminals.attach(sink, dimensions);
      await parsed();
      for (let index = 0; index < 10; index++) {
        terminals.write('x'.repeat(50_000));
      }
      terminals.write('\r\nlast');
      await parsed();
      assert.ok(sink.data.length <= 250_000, `${sink.data.length}`);
      assert.equal(sink.resyncs, 0);
      terminals.acknowledge(sink, sink.data.length);
      await parsed();
      assert.equal(sink.resyncs, 1);
      assert.match(sink.data, /last$/);
    });

    it('gives a window that is behind the last screen when the program has ended', async () => {
      const { terminals, parsed } = setUp(ScreenKind);
      const sink = new Sink();
      terminals.attach(sink, dimensions);
      await parsed();
      for (let index = 0; index < 6; index++) {
        terminals.write('x'.repeat(50_000));
      }
      terminals.write('\r\nthe end');
      await terminals.finish();
      assert.equal(sink.resyncs, 1);
      assert.match(sink.data, /the end$/);
    });

    it('pauses the program for its own parser only, and lets it go on', async () => {
      const { calls, terminals, parsed } = setUp(ScreenKind);
      for (let index = 0; index < 6; index++) {
        terminals.write('x'.repeat(50_000));
      }
      assert.deepEqual(calls, ['pause']);
      await parsed();
      assert.deepEqual(calls, ['pause', 'resume']);
    });

    it('believes no acknowledgement of more than was sent', async () => {
      const { terminals, parsed } = setUp(ScreenKind);
      const sink = new Sink();
      terminals.attach(sink, dimensions);
      await parsed();
      terminals.acknowledge(sink, Number.MAX_SAFE_INTEGER);
      for (let index = 0; index < 10; index++) {
        terminals.write('x'.repeat(50_000));
      }
      assert.ok(sink.data.length <= 250_000);
    });

    it('takes the size of the last window that says one', () => {
      const { calls, terminals } = setUp(ScreenKind);
      terminals.attach(new Sink(), { columns: 100, rows: 40 });
      terminals.resize({ columns: 100, rows: 40 });
      terminals.resize({ columns: 90, rows: 40 });
      assert.deepEqual(calls, ['resize 100x40', 'resize 90x40']);
    });
  });
}

describe('Screen', () => {
  const snapshotAfter = async (output: string): Promise<string> => {
    const screen = new Screen(dimensions, () => undefined);
    await new Promise<void>((resolve) => screen.write(output, resolve));
    return screen.snapshot();
  };

  it('replays private modes that change after the text, and keyboard flags', async () => {
    const snapshot = await snapshotAfter(
      '\x1b[?1006h\x1b[?1000h\x1b[?25l\x1b[?2004h\x1b[?2004l\x1b[>5uhello',
    );
    for (const sequence of ['\x1b[?1006h', '\x1b[?1000h', '\x1b[?25l', '\x1b[?2004l', '\x1b[>5u']) {
      assert.ok(snapshot.includes(sequence), JSON.stringify(sequence));
    }
  });

  it('never replays synchronised output, which would freeze a window', async () => {
    assert.equal((await snapshotAfter('\x1b[?2026hhello')).includes('2026'), false);
  });

  it('records no modes that a program makes up', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `\x1b[?${30_000 + index}h`).join('');
    assert.ok((await snapshotAfter(`${many}hello`)).length < 100);
  });

  it('forgets modes at a full reset, and keyboard flags that were taken back', async () => {
    const snapshot = await snapshotAfter('\x1b[?1006h\x1b[>5u\x1bc\x1b[>1u\x1b[<uhello');
    assert.equal(snapshot.includes('1006'), false);
    assert.equal(snapshot.includes('u\x1b') || snapshot.includes('[>'), false);
  });

  it('counts an emoji as two columns, as VS Code does', async () => {
    const snapshot = await snapshotAfter('🎉\x1b[1;3Hx');
    assert.ok(snapshot.startsWith('🎉x'), JSON.stringify(snapshot));
  });

  it('puts the cursor where it was, also after a full last line', async () => {
    const { columns, rows } = dimensions;
    const snapshot = await snapshotAfter(`\x1b[${rows};1H${'x'.repeat(columns)}\x1b[2;5H`);
    let answer = '';
    const other = new Screen(dimensions, (text) => {
      answer += text;
    });
    await new Promise<void>((resolve) => other.write(`${snapshot}\x1b[6n`, resolve));
    assert.equal(answer, '\x1b[2;5R');
  });

  it('answers the program’s questions through its callback', async () => {
    let answer = '';
    const screen = new Screen(dimensions, (text) => {
      answer += text;
    });
    await new Promise<void>((resolve) => screen.write('abc\x1b[6n', resolve));
    assert.equal(answer, '\x1b[1;4R');
  });
});
