import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { boundBy } from '../../src/guard/boundPaths';
import type { SandboxConnection } from '../../src/launch/connection';
import { protectWorkspace } from '../../src/launch/protectWorkspace';
import { image } from '../support/environment';
import { ScreenReader } from '../support/screenReader';
import { GuardUnderTest } from '../support/guardUnderTest';
import { waitUntil } from '../support/waitUntil';
import { git, makeRepository } from './support/repositories';
import { identified, specify, startSandbox, TestFolders } from './support/sandboxUnderTest';

/** Makes git run something that leaves a mark on whoever runs it. */
const evilConfiguration = (folder: string): string =>
  `printf '[core]\\n\\tfsmonitor = "touch ${folder}/ran; false"\\n'`;

describe('what a sandbox can write and the host would act on', () => {
  let folders: TestFolders;
  let connection: SandboxConnection;
  let screen: ScreenReader;
  let world: GuardUnderTest;
  let isStarted = false;

  before(async () => {
    folders = new TestFolders();
    makeRepository(folders.workspace);
    rmSync(at('.envrc'));
    git(folders.workspace, 'commit', '-qam', 'without .envrc');
    world = new GuardUnderTest(folders.workspace, join(folders.root, 'storage'), {
      boundBy: (path) => {
        const found = boundBy(at(path), isStarted ? [connection.status.verdict] : []);
        return found && { ...found, path: relative(folders.workspace, found.path) };
      },
    });
    await world.open();
    await world.guard.begin();
    const plain = specify(folders, { image: identified(image()) });
    const { parts } = await protectWorkspace(folders.workspace, plain.home, {}, folders.index);
    ({ connection } = await startSandbox({ ...plain, ...parts }));
    isStarted = true;
    await waitUntil('the sandbox runs', () => connection.status.phase === 'running');
    screen = await ScreenReader.attach(connection);
  });
  after(async () => {
    world.guard.dispose();
    await connection.stop();
    folders.remove();
    assert.deepEqual(world.errors, []);
  });

  const at = (...names: string[]): string => join(folders.workspace, ...names);

  /** Runs a command in the sandbox and expects these findings within 2 s of its end; then takes them as answered. */
  async function makes(command: string, ...expected: string[]): Promise<void> {
    // in its own memory: a file of the test's in the workspace is nothing to find
    screen.type(`${command}; echo do""ne-$((++n))\r`);
    count += 1;
    await screen.shows(new RegExp(`done-${count}\\b`));
    await world.finds(...expected);
    assert.equal(existsSync(at('ran')), false, 'nothing ran on the host');
    for (const { path } of world.guard.list()) await world.guard.allow(path);
    await world.finds();
  }
  let count = 0;

  it('is found: a repository, harmless or not, and nothing runs before somebody has seen it', async () => {
    await makes('git init -q sub', 'new repository sub/.git');
    await makes(
      `git init -q evil; ${evilConfiguration(folders.workspace)} >>evil/.git/config`,
      'new repository evil/.git',
    );
    // it would have
    git(folders.workspace, '-C', 'evil', 'status');
    assert.ok(existsSync(at('ran')));
    rmSync(at('ran'));
    rmSync(at('evil'), { recursive: true });
    await makes(
      `${evilConfiguration(folders.workspace)} >>sub/.git/config; echo >sub/.git/commondir; mkdir -p sub/.git/hooks; echo >sub/.git/hooks/pre-commit`,
      ...['new git sub/.git/config', 'new git sub/.git/commondir', 'new git sub/.git/hooks/pre-commit'],
    );
    rmSync(at('sub'), { recursive: true });
  });

  it('is found: a repository whose folder was renamed with its read-only bind', async () => {
    await makes(
      `mv vendor chosen && cp -r chosen vendor && ${evilConfiguration(folders.workspace)} >>vendor/lib/.git/config`,
      ...['new git vendor/lib/.git/config', 'new repository chosen/lib/.git'],
    );
  });

  it('is found: what did not exist, variants in case, links, special files, programs', async () => {
    await makes('echo x >.envrc', 'new shell .envrc');
    await makes(
      'mkdir .VSCODE .idea; echo x >.VSCODE/tasks.json; echo >.idea/x',
      'new editor .VSCODE/tasks.json',
      'new otherEditor .idea/x',
    );
    await makes(
      'ln -s /etc/passwd leak; ln -s ../.. up; mkfifo pipe',
      'new outsideLink leak',
      'new outsideLink up',
      'new special pipe',
    );
    await makes('rm .envrc; mkfifo .envrc', 'changed special .envrc');
    await makes('truncate -s 10G Makefile', 'new build Makefile');
    await makes(
      'echo >run; chmod +x run; cp run "$(printf \'a\\342\\200\\256b\')"; ln run run2',
      'new oddName a\u202eb',
      'new hardLink run',
      'new hardLink run2',
    );
    await makes(
      'mkdir -p .venv/bin node_modules/.bin lib; ln -s /usr/bin/python3 .venv/bin/python; echo >node_modules/.bin/tsc; echo >lib/sitecustomize.py; echo >.venv/x.pth',
      ...['new interpreter .venv/bin/python', 'new packagePrograms node_modules/.bin/tsc'],
      ...['new pythonStart .venv/x.pth', 'new pythonStart lib/sitecustomize.py'],
    );
    await makes(
      `echo '{"scripts":{"install":"evil"}}' >package.json; for f in CMakeLists.txt conftest.py Snakefile .npmrc .Rprofile .latexmkrc eslint.config.js build.rs opencode.json; do echo x >$f; done`,
      ...[
        'new build CMakeLists.txt',
        'new tests conftest.py',
        'new build Snakefile',
        'new packageScripts .npmrc',
      ],
      ...[
        'new startFile .Rprofile',
        'new startFile .latexmkrc',
        'new tool eslint.config.js',
        'new build build.rs',
      ],
      ...['new agent opencode.json', 'new packageScripts package.json'],
    );
    await makes(
      `printf '[build-system]\nbuild-backend = "evil"\n' >pyproject.toml; mkdir .opencode lib/hooks; echo x >.opencode/plugin.js; for f in setup.py .bashrc .zshenv pyvenv.cfg .babelrc .mise.toml .gitlab-ci.yml .pre-commit-config.yaml x.code-workspace; do echo x >$f; done`,
      ...['new build pyproject.toml', 'new build setup.py', 'new agent .opencode/plugin.js'],
      ...['new shell .bashrc', 'new shell .zshenv', 'new shell .mise.toml', 'new pythonStart pyvenv.cfg'],
      ...['new tool .babelrc', 'new pipeline .gitlab-ci.yml', 'new commitHook .pre-commit-config.yaml'],
      'new editor x.code-workspace',
    );
  });

  it('is found: behind a flood, deeper than a path can be, and in the place of a FIFO that comes and goes', async () => {
    const name = 'd'.repeat(250);
    const program = [
      'import os',
      'os.makedirs("crowd")',
      'for n in range(5000): open(f"crowd/{n}", "w").close()',
      'top = os.getcwd()',
      `for n in range(20): os.mkdir("${name}"); os.chdir("${name}")`,
      'open(".envrc", "w").close()',
      'os.chdir(top)',
      'for n in range(300):',
      '  if n % 3 == 0: open("conftest.py", "w").write(str(n))',
      '  elif n % 3 == 1: os.mkfifo("conftest.py")',
      '  else: os.symlink("/dev/zero", "conftest.py")',
      '  os.unlink("conftest.py")',
      'open("conftest.py", "w").write("last")',
      'open("crowd/.envrc", "w").close()',
    ];
    writeFileSync(at('flood.py'), program.join('\n'));
    const deep = `${`${name}/`.repeat(20)}.envrc`;
    try {
      await makes(
        'python3 flood.py',
        ...['changed tests conftest.py', 'new shell crowd/.envrc', `new shell ${deep}`],
      );
    } finally {
      // Node's rmSync can't
      execFileSync('/bin/rm', ['-rf', at(name)]);
    }
  });

  it('is no finding what the user changes where the agent can’t', async () => {
    writeFileSync(at('.vscode/tasks.json'), '{"version": "2.0.0"}');
    git(folders.workspace, 'config', 'core.fsmonitor', 'false');
    const changed = Date.now();
    await waitUntil('it was verified again', () => (connection.status.verdict?.time ?? 0) > changed + 500);
    await world.guard.verified(false);
    await world.finds();
    // from then on it is compared with what the user wrote
    await world.guard.settle();
    await world.finds();
  });
});
