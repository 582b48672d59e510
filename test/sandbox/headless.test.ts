import assert from 'node:assert/strict';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type HeadlessTask, runHeadless } from '../../scripts/try/headless';
import { apptainer, image, shellImage } from '../support/environment';
import { makeWorkspace } from '../support/agentWorkspace';
import { removeTree } from '../../src/host/removeTree';

describe('npm run try -- --headless', () => {
  let folder: string;
  let lines: string[];
  const run = (task: string, changes: Partial<HeadlessTask> = {}): Promise<number> =>
    runHeadless({
      folder,
      task,
      network: 'open',
      timeoutMilliseconds: 50_000,
      apptainer: apptainer(),
      image: image(),
      signal: new AbortController().signal,
      print: (line) => lines.push(line),
      ...changes,
    });

  beforeEach(() => {
    folder = makeWorkspace();
    lines = [];
  });
  afterEach(() => removeTree(dirname(folder)));

  it('does the example’s task with the demo model, and prints verdict, text and changed files', async () => {
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/muons.csv'), 'event,pt,eta,phi,charge\n1,40.5,0,0,1\n');
    assert.equal(await run('Draw a histogram of the muons'), 0);
    assert.match(lines[0] ?? '', /^Sandbox: isolated, network open/);
    assert.ok(lines.some((line) => line.startsWith('| ') && line.includes('scripted demo model')));
    assert.match(lines.at(-4) ?? '', /^Sandbox: isolated, network open/);
    assert.deepEqual(lines.slice(-3), [
      'Changed files:',
      '  new     pt_histogram.png',
      '  new     pt_histogram.py',
    ]);
    assert.equal(statSync(join(folder, 'pt_histogram.png')).uid, process.getuid?.());
    assert.equal(existsSync(join(folder, 'opencode.json')), false);
  });

  it('ends the sandbox when it is stopped', async () => {
    const stop = new AbortController();
    const print = (line: string): void => {
      lines.push(line);
      if (line.startsWith('Sandbox:')) {
        stop.abort();
      }
    };
    assert.equal(await run('hello', { network: 'none', signal: stop.signal, print }), 130);
    assert.match(lines[0] ?? '', /^Sandbox: isolated, no network \(/);
    assert.equal(lines.at(-1), 'Changed files: none');
  });

  it('ends the sandbox when its time is up', async () => {
    // less than opencode needs to start
    assert.equal(await run('hello', { network: 'none', timeoutMilliseconds: 400 }), 124);
  });

  it('fails with an image without opencode', async () => {
    assert.notEqual(await run('hello', { image: shellImage() }), 0);
    assert.equal(lines.at(-1), 'Changed files: none');
  });
});
