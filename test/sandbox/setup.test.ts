import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runBare } from '../../src/apptainer/bareRun';
import { formatMessage } from '../../src/sandbox/message';
import { firstBlocking } from '../../src/setup/checkSetup';
import { findCandidates } from '../../src/setup/candidates';
import type { LineId, SetupLine } from '../../src/setup/line';
import { apptainer, shellImage } from '../support/environment';
import { writeProgram } from '../support/temporaryFolder';
import { ChangedHost } from './support/changedHost';
import { TestFolders } from './support/sandboxUnderTest';
import { setupLines } from './support/setupLines';
import { siteConfiguration } from './support/weakenings';

/** Where this Apptainer has its configuration. */
function configurationOf(program: string): string {
  const [, path] =
    /^APPTAINER_CONF_FILE=(.*)$/m.exec(execFileSync(program, ['buildcfg'], { encoding: 'utf8' })) ?? [];
  assert(path);
  return path;
}

describe('the check of the setup, on this computer', () => {
  let folders: TestFolders;
  before(() => {
    folders = new TestFolders();
  });
  after(() => folders.remove());

  function lineOf(lines: readonly SetupLine[], id: LineId): SetupLine {
    const line = lines.find((candidate) => candidate.id === id);
    assert(line, id);
    return line;
  }

  /** What it says on this computer after `setup`, a text for /bin/sh. */
  async function linesAfter(setup: string, image = shellImage()): Promise<SetupLine[]> {
    const host = await ChangedHost.prepare(setup, folders.root);
    try {
      const script = join(__dirname, 'support', 'setupLines.js');
      const output = execFileSync(host.nodePath, [script, apptainer(), image, folders.root], {
        timeout: 60_000,
        encoding: 'utf8',
      });
      return JSON.parse(output) as SetupLine[];
    } finally {
      host.end();
    }
  }

  it('finds what is there, and starts a container', async () => {
    const lines = await setupLines(apptainer(), shellImage(), folders.root);
    assert.equal(firstBlocking(lines), undefined);
    assert.equal(lineOf(lines, 'container').state, 'ok');
    assert.equal(lineOf(lines, 'configuration').state, 'ok');
    assert.equal(lineOf(lines, 'helpers').state, 'ok');
    assert.equal(lineOf(lines, 'temporaryPrograms').state, 'ok');
    assert.match(formatMessage(lineOf(lines, 'apptainer').detail), /^Version 1\.\d/);
    assert.match(formatMessage(lineOf(lines, 'homeSpace').detail), /^\d+ MB are free/);
  });

  it('says that user namespaces are switched off, with what switches them on', async () => {
    const lines = await linesAfter('echo 0 >/proc/sys/user/max_user_namespaces');
    const line = lineOf(lines, 'userNamespaces');
    assert.deepEqual(firstBlocking(lines), line);
    assert.match(JSON.stringify(line.fixes), /sysctl/);
    assert.match(formatMessage(lineOf(lines, 'container').detail), /User namespaces are switched off/);
  });

  it('says that /dev/fuse can’t be opened', async () => {
    const lines = await linesAfter('mount --bind /etc/shadow /dev/fuse');
    assert.equal(firstBlocking(lines)?.id, 'fuse');
    assert.match(formatMessage(lineOf(lines, 'container').detail), /dev\/fuse/);
  });

  it('says that no program may be run in the folder in which images are unpacked', async () => {
    const lines = await linesAfter('mount -t tmpfs -o noexec none /tmp');
    const line = lineOf(lines, 'temporaryPrograms');
    assert.deepEqual([line.state, firstBlocking(lines)], ['problem', undefined]);
    assert.match(formatMessage(line.detail), /in \/tmp .*noexec/);
  });

  it('says what the site binds, and it is in no container of ours', async () => {
    const name = basename(folders.root);
    const configuration = siteConfiguration(folders, 'bind path', `${folders.workspace}:/mnt`);
    const own = dirname(apptainer());
    const changed = writeProgram(
      join(folders.root, 'changed'),
      `PATH='${own}':$PATH exec '${apptainer()}' --config '${configuration}' "$@"`,
    );
    const request = { apptainer: changed, image: shellImage(), timeoutMilliseconds: 60_000 };
    const command = ['/bin/cat', '/proc/self/mountinfo'];
    const { exitCode, stdout } = await runBare({ ...request, command, environment: { HOME: folders.root } });
    assert.equal(exitCode, 0);
    assert.match(stdout, / \/proc /);
    assert.doesNotMatch(stdout, new RegExp(name));
    // and in one that is started without our arguments it is
    const plain = execFileSync(changed, ['exec', '--userns', shellImage(), ...command], { encoding: 'utf8' });
    assert.match(plain, new RegExp(`${name}\\S* /mnt `));
    const lines = await linesAfter(`mount --bind '${configuration}' '${configurationOf(apptainer())}'`);
    assert.equal(firstBlocking(lines), undefined);
    assert.match(formatMessage(lineOf(lines, 'siteBinds').detail), /binds \S+:\/mnt into containers/);
  });

  it('says that the image is damaged when only a start shows it', async () => {
    const cut = join(folders.root, 'cut.sif');
    writeFileSync(cut, execFileSync('/usr/bin/head', ['-c', '50000', shellImage()]));
    const lines = await setupLines(apptainer(), cut, folders.root);
    assert.equal(firstBlocking(lines)?.id, 'image');
    assert.match(formatMessage(lineOf(lines, 'image').detail), /damaged/);
  });

  it('finds programs on PATH without running them, and none that an agent could have put there', async () => {
    const ran = join(folders.root, 'ran');
    const outside = join(folders.root, 'module', 'bin');
    mkdirSync(outside, { recursive: true });
    const found = writeProgram(join(outside, 'apptainer'), `touch '${ran}'`);
    const inside = writeProgram(join(folders.workspace, 'apptainer'), `touch '${ran}'`);
    const environment = { PATH: [dirname(inside), outside, 'relative', ''].join(':') };
    const own = join(folders.root, 'storage', 'apptainer');
    assert.deepEqual(await findCandidates(environment, [folders.workspace], own), [found]);
    // and without the guard it would be there
    assert.deepEqual(await findCandidates(environment, [], own), [inside, found]);
    assert.throws(() => execFileSync('/bin/ls', [ran], { stdio: 'ignore' }));
  });
});
