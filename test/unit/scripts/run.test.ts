import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stages, usualStages } from '../../../scripts/test/stages';
import { repositoryFolder } from '../../../scripts/setup/paths';
import { useTemporaryFolder } from '../../support/temporaryFolder';

/** These are plain JavaScript, because they run before anything is installed. */
function load(name: string): Promise<Record<string, (...values: unknown[]) => unknown>> {
  const url = pathToFileURL(join(repositoryFolder, 'scripts/run', name)).href;
  return import(url) as Promise<Record<string, (...values: unknown[]) => unknown>>;
}

describe('arguments of npm run try', () => {
  const parse = async (...args: string[]) =>
    (await load('tryArguments.mjs'))['parseTryArguments']?.(args) as Record<string, unknown>;

  it('reads a folder, relative to where npm was called', async () => {
    const initial = process.env['INIT_CWD'];
    process.env['INIT_CWD'] = '/some/where';
    try {
      const { folder, folderPosition } = await parse('--network', 'none', 'a/b');
      assert.equal(folder, '/some/where/a/b');
      assert.equal(folderPosition, 2);
    } finally {
      if (initial === undefined) {
        delete process.env['INIT_CWD'];
      } else {
        process.env['INIT_CWD'] = initial;
      }
    }
  });

  it('reads a task', async () => {
    const options = await parse('--headless', '/a', 'do it', '--timeout', '7');
    assert.deepEqual(
      [
        options['headless'],
        options['folder'],
        options['task'],
        options['timeoutMilliseconds'],
        options['network'],
      ],
      [true, '/a', 'do it', 7000, 'restricted'],
    );
  });

  const wrong = [
    ['--headless', '/a'],
    ['/a', 'task'],
    ['--headless', '/a', 't', 'more'],
    ['--timeout', '0'],
    ['--network', 'x'],
    ['--x'],
  ];
  for (const args of wrong) {
    it(`refuses ${args.join(' ')}`, async () => {
      await assert.rejects(() => parse(...args), /npm run try|--timeout|--network/);
    });
  }
});

describe('help', () => {
  for (const name of ['try', 'test', 'bench', 'probes']) {
    it(`for ${name} is there at once: nothing is asked, got or done before`, () => {
      const program = join(repositoryFolder, 'scripts/run.mjs');
      // on a PATH without programs no user can be looked up and no package be got
      const said = execFileSync(process.execPath, [program, name, '--help'], {
        encoding: 'utf8',
        env: { PATH: '/nonexistent' },
      });
      assert.match(said, new RegExp(`npm (run )?${name}`));
    });
  }

  it('knows all stages of the tests, and which are usual', async () => {
    const { helpTexts } = (await load('help.mjs')) as unknown as { helpTexts: Record<string, string> };
    const lines = (helpTexts['test'] ?? '').split('\n').map((line) => line.trim());
    assert.ok(lines.some((line) => line.endsWith(` ${usualStages.join(', ')}`)));
    assert.ok(lines.some((line) => line.endsWith(`: ${Object.keys(stages).join(', ')}`)));
  });
});

describe('what root does', () => {
  const isTerminal = process.stdin.isTTY;
  beforeEach(() => {
    process.stdin.isTTY = false;
  });
  afterEach(() => {
    process.stdin.isTTY = isTerminal;
  });

  const isAllowed = async (...values: unknown[]) =>
    (await load('asOrdinaryUser.mjs'))['isAllowed']?.(...values);

  it('goes on where nobody can be asked, but gives away no folder there', async () => {
    assert.equal(await isAllowed([], false, false), true);
    await assert.rejects(async () => isAllowed([], false, true), /--yes/);
    assert.equal(await isAllowed([], true, true), true);
  });
});

describe('copy of a working tree', () => {
  const folder = useTemporaryFolder();

  it('has what git has and what is new, not what is ignored or gone; and forgets what was there before', async () => {
    const { readWorkingTree, writeWorkingTree } = await load('workingTree.mjs');
    const clone = join(folder(), 'clone');
    const copy = join(folder(), 'copy');
    mkdirSync(join(clone, 'sub'), { recursive: true });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: clone });
    git('init', '--quiet');
    writeFileSync(join(clone, '.gitignore'), 'ignored\n');
    writeFileSync(join(clone, 'sub/tracked'), 'old');
    writeFileSync(join(clone, 'gone'), '');
    git('add', '.');
    writeFileSync(join(clone, 'sub/tracked'), 'new');
    writeFileSync(join(clone, 'untracked'), '');
    chmodSync(join(clone, 'untracked'), 0o755);
    writeFileSync(join(clone, 'ignored'), '');
    symlinkSync('sub', join(clone, 'link'));
    rmSync(join(clone, 'gone'));
    mkdirSync(join(copy, 'node_modules'), { recursive: true });
    writeFileSync(join(copy, 'stale'), '');
    writeWorkingTree?.(readWorkingTree?.(clone), copy);
    assert.equal(readFileSync(join(copy, 'sub/tracked'), 'utf8'), 'new');
    assert.equal(statSync(join(copy, 'untracked')).mode & 0o111, 0o111);
    assert.equal(readlinkSync(join(copy, 'link')), 'sub');
    assert.ok(existsSync(join(copy, 'node_modules')));
    for (const name of ['ignored', 'gone', 'stale', '.git']) {
      assert.equal(existsSync(join(copy, name)), false, name);
    }
  });
});

describe('environment of the ordinary user', () => {
  it('has nothing of root’s but what is meant for it', async () => {
    const { ordinaryEnvironment } = await load('environment.mjs');
    const root = {
      PATH: '/root/clone/node_modules/.bin:/usr/bin',
      HOME: '/root',
      LANG: 'C.UTF-8',
      https_proxy: 'http://proxy',
      npm_config_cafile: '/ca',
      npm_config_cache: '/root/.npm',
      SECRET_TOKEN: 'x',
      LD_PRELOAD: '/evil.so',
      NODE_OPTIONS: '--require /evil.js',
      XDG_RUNTIME_DIR: '/run/user/0',
      SANDBOXED_AGENT_X: '1',
    };
    assert.deepEqual(ordinaryEnvironment?.(root, '/home/u'), {
      PATH: '/usr/bin',
      HOME: '/home/u',
      USER: 'sandboxed-agent',
      LOGNAME: 'sandboxed-agent',
      LANG: 'C.UTF-8',
      https_proxy: 'http://proxy',
      npm_config_cafile: '/ca',
      SANDBOXED_AGENT_X: '1',
    });
  });
});
