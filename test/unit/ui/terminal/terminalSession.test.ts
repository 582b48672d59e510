import assert from 'node:assert/strict';
import { Terminal } from '@xterm/headless';
import { formatMessage, message } from '../../../../src/sandbox/message';
import { TerminalSession } from '../../../../src/ui/terminal/terminalSession';
import { FakeConnection, summary, verdictOf } from '../../../support/fakeConnection';

const size = { columns: 100, rows: 30 };

class Surface {
  text = '';
  ended: (number | undefined)[] = [];

  write(text: string): void {
    this.text += text;
  }

  end(exitCode: number | undefined): void {
    this.ended.push(exitCode);
  }
}

describe('TerminalSession', () => {
  let surface: Surface;
  let session: TerminalSession;
  let connection: FakeConnection;

  beforeEach(() => {
    surface = new Surface();
    session = new TerminalSession(surface, formatMessage);
    connection = new FakeConnection(summary, { phase: 'starting' });
  });

  afterEach(() => session.close());

  async function attach(): Promise<void> {
    session.open(size, message('Starting the sandbox…'));
    session.connect(connection);
    await connection.attachment;
  }

  it('says at once that the sandbox is being started, and what was verified', () => {
    session.open(size, message('Starting the sandbox…'));
    assert.equal(surface.text, 'Starting the sandbox…\r\n');
    session.connect(connection);
    connection.becomes({ phase: 'running', verdict: verdictOf({ network: 'open' }) });
    connection.becomes({ phase: 'running', verdict: verdictOf({ network: 'open' }) });
    assert.equal(
      surface.text,
      'Starting the sandbox…\r\nVerified from the host’s kernel facts: isolated, network open. What runs in it starts now…\r\n',
    );
  });

  it('gives the window a flood in pieces, between which it can do something else', async () => {
    await attach();
    const pieces: string[] = [];
    surface.write = (piece) => void pieces.push(piece);
    const flood = '\x1b[120S'.repeat(10_000);
    connection.prints(flood);
    assert.ok(pieces.length > 10);
    assert.ok(pieces.every(({ length }) => length <= 4096));
    // a request for an answer is put in as a mark
    const [shown, own, ...others] = pieces.join('').replaceAll('\x1b[5n', '').split('\x1b7');
    assert.ok(shown === `\x1bc${flood}`);
    assert.deepEqual([own, others], ['\x1b[m\x1b[HStarting the sandbox…\x1b8', []]);
  });

  it('attaches with the size on which the terminal settled', async () => {
    session.open({ columns: 100, rows: 48 }, message('Starting the sandbox…'));
    session.setDimensions(size);
    session.connect(connection);
    assert.deepEqual(await connection.attachment, size);
    session.setDimensions({ columns: 90, rows: 20 });
    assert.deepEqual(connection.sent, ['resize 90x20']);
  });

  it('clears its own words before the program first shows something, and only then', async () => {
    await attach();
    surface.text = '';
    connection.prints('');
    connection.prints('one');
    connection.prints('two');
    assert.equal(surface.text, '\x1bconetwo');
    connection.becomes({ phase: 'running', verdict: verdictOf() });
    session.say(message('too late'));
    assert.equal(surface.text, '\x1bconetwo');
  });

  it('passes input on, and acknowledges what the terminal has shown', async () => {
    await attach();
    session.handleInput('ls\r');
    connection.prints('\n'.repeat(32_768));
    session.handleInput('\x1b[0n');
    assert.deepEqual(connection.sent, ['input ls\r', 'acknowledge 32768']);
  });

  it('closes with the exit code when the program ended well', async () => {
    await attach();
    connection.becomes({ phase: 'ended', end: { reason: 'exited', exitCode: 0 } });
    assert.deepEqual(surface.ended, [0]);
    assert.ok(session.isOver);
    assert.ok(connection.isDisposed);
  });

  it('closes quietly when the sandbox was stopped', async () => {
    await attach();
    connection.becomes({ phase: 'ended', end: { reason: 'stopped', exitCode: 137 } });
    assert.deepEqual(surface.ended, [undefined]);
  });

  it('keeps the words of a bad end until Enter is pressed', async () => {
    await attach();
    connection.prints('\x1b[?1049h\x1b[?1003h');
    connection.becomes({ phase: 'ended', end: { reason: 'exited', exitCode: 3 } });
    connection.closes(true);
    assert.match(surface.text, /\x1b7\x1b\[\?1049l.*\x1b\[\?1003l/s);
    assert.match(surface.text, /ended with exit code 3\.\r\nPress Enter to close this terminal\.\r\n$/);
    session.handleInput('\x1b[<35;1;1M');
    assert.deepEqual(surface.ended, []);
    session.handleInput('\r');
    // with a code, VS Code would show an error message of its own
    assert.deepEqual(surface.ended, [undefined]);
    assert.deepEqual(connection.sent, []);
  });

  for (const end of [{ reason: 'exited', exitCode: 0 } as const, { reason: 'stopped' } as const]) {
    it(`keeps the output of a task that has ${end.reason} until Enter is pressed`, async () => {
      session = new TerminalSession(surface, formatMessage, true);
      await attach();
      connection.prints('what the agent did');
      connection.becomes({ phase: 'ended', end });
      assert.deepEqual(surface.ended, []);
      assert.match(surface.text, /what the agent did[^]*Press Enter to close this terminal/);
      session.handleInput('\r');
      assert.equal(surface.ended.length, 1);
    });
  }

  for (const [screen, output] of [
    ['a shell', 'one\r\ntwo\r\n$ '],
    ['a full screen', 'one\r\ntwo\r\n$ \x1b[?1049h\x1b[2;2Hfull'],
    ['a part of the screen', 'one\r\ntwo\r\n$ \x1b[2;4r\x1b[4;1H'],
  ] as const) {
    it(`says how it ended below what there is, after a program that used ${screen}`, async () => {
      await attach();
      connection.prints(output);
      connection.becomes({ phase: 'ended', end: { reason: 'exited', exitCode: 1 } });
      const terminal = new Terminal({ cols: 60, rows: 8, allowProposedApi: true });
      await new Promise<void>((resolve) => terminal.write(surface.text, resolve));
      const lines = Array.from(
        { length: 5 },
        (_, row) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? '',
      );
      assert.deepEqual(lines.slice(0, 2), ['one', 'two']);
      assert.ok(
        lines.indexOf('The program in the sandbox has ended with exit code 1.') > 2,
        lines.join('\n'),
      );
    });
  }

  it('says why there will be no sandbox', () => {
    session.open(size, message('Starting the sandbox…'));
    session.fail(message('No folder is open.'));
    assert.match(surface.text, /No folder is open\.\r\nPress Enter to close this terminal\.\r\n$/);
    assert.ok(session.isOver);
    session.connect(connection);
    assert.equal(surface.text.includes('Verified'), false);
  });

  it('says why a sandbox was refused', () => {
    session.open(size, message('Starting the sandbox…'));
    const explanation = message('the {0} namespace is the host’s', 'net');
    connection.status = { phase: 'ended', end: { reason: 'refused', explanation } };
    session.connect(connection);
    assert.match(surface.text, /nothing of the agent was run: the net namespace is the host’s\.\r\n/);
    assert.deepEqual(surface.ended, []);
  });

  it('says that the connection was lost, and ends nothing', async () => {
    await attach();
    connection.closes(false);
    assert.match(surface.text, /The connection to the sandbox was lost\./);
    assert.deepEqual(connection.sent, []);
    assert.deepEqual(surface.ended, []);
  });

  it('knows whether it was closed with a sandbox behind it', async () => {
    await attach();
    session.close();
    assert.equal(session.isConcluded, false);
    const other = new TerminalSession(surface, formatMessage);
    other.open(size, message('Starting the sandbox…'));
    other.connect(connection);
    connection.closes(false);
    other.close();
    assert.equal(other.isConcluded, true);
  });

  it('only lets go when the terminal is closed', async () => {
    await attach();
    session.close();
    assert.ok(connection.isDisposed);
    assert.deepEqual(connection.sent, []);
    const before = surface.text;
    connection.prints('unseen');
    assert.equal(surface.text, before);
  });

  it('does not keep a connection that comes after the terminal was closed', () => {
    session.close();
    session.connect(connection);
    assert.ok(connection.isDisposed);
  });
});
