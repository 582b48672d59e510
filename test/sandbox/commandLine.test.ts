import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { startDemoModel } from '../../scripts/demoModel/server';
import { commandLine } from '../../src/sandbox/commandLine';
import { toolEnvironment } from '../../src/sandbox/hostEnvironment';
import type { SandboxSpecification } from '../../src/sandbox/specification';
import { configureModel, fileWritten, greetingScenario } from '../support/agentWorkspace';
import { image } from '../support/environment';
import { ourTemporaryNames } from '../support/temporaryNames';
import { identified, specify, TestFolders } from './support/sandboxUnderTest';

const facts =
  'cat /proc/self/status > status; pwd > here; env > environment; ls -A / > root; echo ~ > ~/home';

describe('a command line that was copied', () => {
  let folders: TestFolders;

  afterEach(() => folders.remove());

  /** Pastes the command into bash, and what is typed next. */
  function paste(specification: SandboxSpecification, typed: string): Promise<string> {
    const text = commandLine(
      specification,
      { ...toolEnvironment(specification.apptainer, process.env), TERM: 'xterm-256color' },
      process.arch,
    );
    const bash = spawn('/bin/bash', ['--norc'], { env: { ...process.env, SECRET: 'leaked' } });
    let output = '';
    for (const stream of [bash.stdout, bash.stderr]) {
      stream.setEncoding('utf8').on('data', (data: string) => (output += data));
    }
    bash.stdin.end(`${text}${typed}\n`);
    return new Promise((resolve, reject) => {
      bash.once('error', reject);
      bash.once('close', () => resolve(output));
    });
  }

  const names = ['a \'b\' "c"', '$HOME $(id) `id`', 'x,destination=mnt,ro', ' -rf *:\\ 漢字'];
  for (const name of names) {
    it(`runs the same sandbox by hand for the folder ${name}`, async () => {
      folders = new TestFolders(name);
      const output = await paste(specify(folders), facts);
      const read = (file: string): string => readFileSync(join(folders.workspace, file), 'utf8');
      assert.ok(existsSync(join(folders.workspace, 'here')), output);
      assert.equal(read('here').trimEnd(), folders.workspace.trimEnd());
      assert.match(read('status'), /^Seccomp:\s*2$/m);
      assert.match(read('status'), /^NoNewPrivs:\s*1$/m);
      assert.match(read('status'), /^CapBnd:\s*0+$/m);
      assert.doesNotMatch(read('environment'), /leaked/);
      assert.equal(read('agent-home/home').trim(), '/home/agent');
      assert.deepEqual(ourTemporaryNames(/^sandboxed-agent-by-hand-/), []);
    });
  }

  it('runs opencode, which does its task', async () => {
    folders = new TestFolders();
    const model = await startDemoModel({ scenario: greetingScenario });
    try {
      configureModel(folders.workspace, model.baseUrl);
      const changes = { kind: 'task', network: 'open', image: identified(realpathSync(image())) } as const;
      const output = await paste(specify(folders, changes), 'greet world');
      assert.match(output, new RegExp(fileWritten));
      assert.equal(readFileSync(join(folders.workspace, 'greeting.txt'), 'utf8'), 'hello world\n');
    } finally {
      await model.close();
    }
  });
});
