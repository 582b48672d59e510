import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectSandbox } from '../../src/launch/connect';
import type { SandboxConnection } from '../../src/launch/connection';
import { image } from '../support/environment';
import { ScreenReader } from '../support/screenReader';
import { waitUntil } from '../support/waitUntil';
import { identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

describe('the terminal of a sandbox', () => {
  let folders: TestFolders;
  let connection: SandboxConnection;
  let socket: string;
  let screen: ScreenReader;
  let output = '';
  beforeEach(async () => {
    folders = new TestFolders();
    const specification = specify(folders, {
      image: identified(image()),
      insideEnvironment: { LANG: 'C.UTF-8', COLORTERM: 'truecolor', PS1: '> ' },
    });
    const started = await startSandbox(specification);
    connection = started.connection;
    socket = join(started.runDirectory, 'control/supervisor.sock');
    output = '';
    connection.onOutput((data) => {
      output += data;
    });
    screen = await ScreenReader.attach(connection);
    await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
    screen.type('stty -echo; PS1=; echo rea""dy\r');
    await screen.shows(/ready/);
  });
  afterEach(async () => {
    await connection.stop();
    folders.remove();
  });

  it('shows colours, wide characters and hyperlinks as they were written', async () => {
    screen.type(String.raw`printf '\033[38;2;1;2;3mdeep\033[0m 漢字 🎉 é\n'; echo do""ne` + '\r');
    await screen.shows(/done/);
    assert.ok(output.includes('\x1b[38;2;1;2;3mdeep\x1b[0m 漢字 🎉 é'));
  });

  it('passes keys, unicode and mouse reports on', async () => {
    screen.type('echo re""ads; cat -v\r');
    await screen.shows(/reads/);
    screen.type('grüße\t\x1b[<0;12;7M\r');
    await screen.shows(/\^\[\[<0;12;7M/);
    assert.match(screen.text(), /grM-CM-<M-CM-\^_e/);
  });

  it('ends the program in the sandbox at Ctrl+C, and nothing else', async () => {
    screen.type('echo sle""eps; sleep 300; echo wo""ke\r');
    await screen.shows(/sleeps/);
    screen.type('\x03');
    // what is typed while the shell takes the terminal back is lost
    await waitUntil('the shell answers', async () => {
      screen.type('echo ali""ve\r');
      return await screen.shows(/alive/, 2000).then(
        () => true,
        () => false,
      );
    });
    assert.doesNotMatch(screen.text(), /woke/);
    assert.equal(connection.status.phase, 'running');
  });

  it('takes a paste of 100,000 characters without losing one', async () => {
    // a line of a cooked terminal has 4095 bytes at most (N_TTY_BUF_SIZE), so the paste has shorter ones
    const text = 'naïve Müon 中 🎉 0123456789\n'.repeat(4000);
    const bytes = Buffer.byteLength(text);
    screen.type(`echo re""ads; head -c ${bytes} > pasted.txt; sha256sum pasted.txt; echo do""ne\r`);
    await screen.shows(/reads/);
    screen.type(text.replaceAll('\n', '\r'));
    await screen.shows(/done/);
    const pasted = readFileSync(join(folders.workspace, 'pasted.txt'));
    assert.equal(pasted.length, bytes);
    const digest = createHash('sha256').update(text).digest('hex');
    assert.match(screen.text().replaceAll('\n', ''), new RegExp(digest));
  });

  it('has the size of the window, and follows it', async () => {
    screen.type('stty size; echo do""ne\r');
    await screen.shows(/^30 120$/m);
    connection.resize({ columns: 84, rows: 33 });
    screen.type('stty size; echo aga""in\r');
    await screen.shows(/^33 84$/m);
  });

  it('shows the present screen to a window that comes later, modes included', async () => {
    screen.type(
      String.raw`printf '\033[?1049h\033[?1006h\033[?1000h\033[?25l\033[5;7Hpresent'; sleep 300` + '\r',
    );
    await screen.shows(/present/);
    const second = await connectSandbox(socket);
    let snapshot = '';
    second.onOutput((data) => {
      snapshot += data;
    });
    const other = await ScreenReader.attach(second);
    await other.shows(/present/);
    assert.equal(other.text(), screen.text());
    for (const mode of ['1006h', '1000h', '25l', '1049h']) {
      assert.ok(snapshot.includes(`\x1b[?${mode}`), `${mode} in ${JSON.stringify(snapshot)}`);
    }
    second.dispose();
  });

  it('passes on the answers of one window only when there are two', async () => {
    const second = await connectSandbox(socket);
    await ScreenReader.attach(second);
    screen.type('echo re""ads; cat -v\r');
    await screen.shows(/reads/);
    // as the terminals of both windows do
    connection.sendInput('\x1b[?62;4c');
    second.sendInput('\x1b[?62;9c');
    second.sendInput('\r');
    await screen.shows(/\^\[\[\?62;9c/);
    assert.doesNotMatch(screen.text(), /62;4c/);
    second.dispose();
  });

  it('answers a program’s questions itself while no window is there', async () => {
    // asks for the cursor's position after the window has gone, and writes the answer down
    screen.type(
      '(touch waiting; until [ -e alone ]; do sleep 0.1; done; stty raw; printf "\\033[6n"; dd bs=1 count=6 of=answer 2>/dev/null; stty sane)\r',
    );
    await waitUntil('it waits', () => existsSync(join(folders.workspace, 'waiting')));
    connection.dispose();
    writeFileSync(join(folders.workspace, 'alone'), '');
    const answer = join(folders.workspace, 'answer');
    await waitUntil(
      'the answer is there',
      () => existsSync(answer) && readFileSync(answer).length === 6,
      30_000,
    );
    assert.match(readFileSync(answer, 'latin1'), /^\x1b\[\d+;\d+R?/);
    connection = await connectSandbox(socket);
  });

  it('keeps a flood from piling up: a window that does not keep up gets the end of it, and Ctrl+C works', async () => {
    connection.dispose();
    const slow = await connectSandbox(socket);
    connection = slow;
    let received = 0;
    let resyncs = 0;
    let last = '';
    let isPrompt = false;
    slow.onOutput((data, resync) => {
      received += data.length;
      resyncs += resync ? 1 : 0;
      last = ((resync ? '' : last) + data).slice(-200_000);
      if (isPrompt) {
        slow.acknowledge(received);
      }
    });
    await slow.attachTerminal({ columns: 120, rows: 30 });
    slow.sendInput('seq 1 3000000; touch over; echo flood-do""ne\r');
    // 22 MB are printed while the window acknowledges nothing
    await waitUntil('the flood is over', () => existsSync(join(folders.workspace, 'over')));
    assert.ok(received < 1_000_000, `${received} characters were sent`);
    isPrompt = true;
    slow.acknowledge(received);
    await waitUntil('the end of the flood is on the screen', () => last.includes('flood-done'));
    assert.ok(resyncs > 0);
    slow.sendInput('yes\r');
    await waitUntil('it flows', () => last.includes('y\r\ny\r\n'));
    slow.sendInput('\x03');
    slow.sendInput('echo inter""rupted\r');
    await waitUntil('the prompt is back', () => last.includes('interrupted'));
  });
});
