import assert from 'node:assert/strict';
import { relevantPart } from '../../../src/guard/relevantPart';
import { isLookedInto, isOddName, ruleByPath } from '../../../src/guard/rules';
import type { RuleId } from '../../../src/guard/ruleTexts';

describe('what is guarded', () => {
  const byPath: readonly [string, RuleId | undefined][] = [
    ['sub/.git', 'repository'],
    ['sub/.GIT', 'repository'],
    ['.git/config', 'git'],
    ['.git/config.worktree', 'git'],
    ['.git/commondir', 'git'],
    ['a/.git/hooks/pre-commit', 'git'],
    ['a/.git/hooks/pre-commit.sample', undefined],
    ['.git/modules/x/y/config', 'git'],
    ['.git/HEAD', undefined],
    ['bare/HEAD', 'bareRepository'],
    ['.vscode/tasks.json', 'editor'],
    ['x/.VSCODE/settings.json', 'editor'],
    ['a.code-workspace', 'editor'],
    ['.devcontainer/devcontainer.json', 'otherEditor'],
    ['.envrc', 'shell'],
    ['deep/.bashrc', 'shell'],
    ['.husky/pre-commit', 'commitHook'],
    ['.github/workflows/ci.yml', 'pipeline'],
    ['.gitlab-ci.yml', 'pipeline'],
    ['web/package.json', 'packageScripts'],
    ['.npmrc', 'packageScripts'],
    ['node_modules/.bin/eslint', 'packagePrograms'],
    ['.venv/bin/python3.11', 'interpreter'],
    ['venv/bin/pip', 'packagePrograms'],
    ['.venv/pyvenv.cfg', 'pythonStart'],
    ['.venv/lib/python3/site-packages/x.pth', 'pythonStart'],
    ['sitecustomize.py', 'pythonStart'],
    ['Makefile', 'build'],
    ['sub/CMakeLists.txt', 'build'],
    ['build.rs', 'build'],
    ['Snakefile', 'build'],
    ['pyproject.toml', 'build'],
    ['tests/conftest.py', 'tests'],
    ['eslint.config.mjs', 'tool'],
    ['.Rprofile', 'startFile'],
    ['.latexmkrc', 'startFile'],
    ['opencode.json', 'agent'],
    ['.opencode/agent/x.md', 'agent'],
    ['.hg/hgrc-not-shared', 'git'],
    ['x/_darcs/prefs/defaults', 'git'],
    ['.env', 'environment'],
    ['.env.local', 'environment'],
    ['.env.example', undefined],
    ['mise.dev.toml', 'shell'],
    ['.config/mise/conf.d/x.toml', 'shell'],
    ['flake.nix', 'shell'],
    ['.RData', 'startFile'],
    ['profile.do', 'startFile'],
    ['jupyter_notebook_config.py', 'startFile'],
    ['.ghci', 'startFile'],
    ['rust-toolchain.toml', 'build'],
    ['crate/Cargo.toml', 'build'],
    ['app/settings.gradle.kts', 'build'],
    ['gradle/wrapper/gradle-wrapper.properties', 'build'],
    ['.mvn/jvm.config', 'build'],
    ['x/App.csproj', 'build'],
    ['Directory.Build.targets', 'build'],
    ['hie.yaml', 'build'],
    ['compose.yml', 'build'],
    ['.pylintrc', 'tool'],
    ['.lintr', 'tool'],
    ['mypy.ini', 'tool'],
    ['cypress.config.ts', 'tool'],
    ['karma.conf.js', 'tool'],
    ['.conda/bin/python3', 'interpreter'],
    ['.pixi/envs/default/bin/python', 'interpreter'],
    ['.direnv/python-3.12/bin/pip', 'packagePrograms'],
    ['.mcp.json', 'agent'],
    ['.claude/settings.json', 'agent'],
    ['AGENTS.md', 'agent'],
    ['.circleci/config.yml', 'pipeline'],
    ['.zed/tasks.json', 'otherEditor'],
    ['environment.yml', undefined],
    ['notes/agents.txt', undefined],
    ['src/main.py', undefined],
    ['makefile.txt', undefined],
  ];
  for (const [path, rule] of byPath) {
    it(`${path}: ${rule ?? 'not'}`, () => assert.equal(ruleByPath(path), rule));
  }

  it('are names that read as others', () => {
    for (const name of ['a\u202etxt', 'a\nb', 'a\u200bb', '\ufeffx']) assert.ok(isOddName(name));
    for (const name of ['über', '日本', 'a b', "it's"]) assert.equal(isOddName(name), false);
  });

  it('and not the bulk of a repository or of what was installed', () => {
    for (const path of [
      '.git',
      '.git/hooks',
      '.git/modules/a',
      'node_modules',
      'node_modules/.bin',
      '.venv/lib',
    ])
      assert.ok(isLookedInto(path), path);
    for (const path of ['.git/objects', '.git/modules/a/objects', 'node_modules/x', 'a/__pycache__'])
      assert.equal(isLookedInto(path), false, path);
  });
});

describe('what matters in a guarded file', () => {
  const part = (path: string, text: string): string | undefined => relevantPart(path, Buffer.from(text));

  it('are the scripts of a package, not its version', () => {
    assert.equal(
      part('package.json', '{"version":"1","scripts":{"a":"b"}}'),
      part('package.json', '{"version":"2","scripts":{"a":"b"}}'),
    );
    assert.notEqual(
      part('package.json', '{"scripts":{"a":"b"}}'),
      part('package.json', '{"scripts":{"a":"c"}}'),
    );
    assert.equal(part('package.json', '{"version":"1"}'), undefined);
    assert.equal(part('package.json', '{ broken'), '{ broken');
  });

  it('is how a Python project is built, not what it is called', () => {
    const project = (build: string, name: string): string =>
      `[project]\nname = "${name}"\n[build-system]\nrequires = ["${build}"]\n[tool.black]\nx = 1\n`;
    assert.equal(part('pyproject.toml', project('a', 'b')), part('pyproject.toml', project('a', 'c')));
    assert.notEqual(part('pyproject.toml', project('a', 'b')), part('pyproject.toml', project('x', 'b')));
  });

  it('is how a Python project is built, however it is spelt', () => {
    for (const spelling of [
      '["build-system"]\nbuild-backend = "evil"\n',
      "['build-system']\nbuild-backend = 'evil'\n",
      'build-system = { build-backend = "evil" }\n',
      'build-system.build-backend = "evil"\n',
      '"build\\u002Dsystem"."build-backend" = "evil"\n',
      '[ project . scripts ]\na = "evil"\n',
      'project = { "scripts" = { a = "evil" } }\n',
      '[ tool . pytest . ini_options ]\naddopts = "-p evil"\n',
      'tool.mypy.plugins = ["evil"]\n',
      '[tool]\nhatch.build.hooks.custom.path = "evil"\n',
      '[[tool.unknown]]\nrun = "evil"\n',
      'x = """\n[tool.black]\n"""\n[tool.setuptools.cmdclass]\nbuild = "evil"\n',
      'this is no TOML: evil',
      `${'a = ['.repeat(1000)}evil`,
      `[tool.black]\nx = "evil"\ny = ${'9'.repeat(400)}\n`,
    ]) {
      assert.match(part('pyproject.toml', spelling) ?? '', /evil/, spelling.slice(0, 80));
    }
    const harmless =
      '[project]\nname = "a"\n[tool.ruff.lint]\nselect = ["E"]\n[tool.poetry]\nversion = "1"\n';
    assert.equal(
      part('pyproject.toml', '[project]\nname = "a"\n[tool.ruff]\nline-length = 100\n'),
      undefined,
    );
    assert.equal(part('pyproject.toml', harmless), part('pyproject.toml', harmless.replace('"1"', '"2"')));
    assert.equal(part('pyproject.toml', `x = ${'[1],'.repeat(100_000)}`)?.length, 400_004, 'as a whole');
  });

  it('is what git runs, not its branches', () => {
    const usual =
      '[core]\n\tbare = false\n\tfilemode = true\n[remote "o"]\n\turl = https://x/y\n\tfetch = +refs\n[branch "m"]\n\tremote = o\n';
    assert.equal(part('.git/config', usual), undefined);
    for (const more of [
      '[core]\n\tfsmonitor = x',
      '[remote "o"]\n\turl = ext::sh',
      '[filter "a"]\n\tclean = x',
    ])
      assert.match(part('.git/config', usual + more) ?? '', /fsmonitor|ext::|clean/);
  });

  it('are all entries of opencode.json but the one that opencode adds by itself', () => {
    const project = '{"model": "a/b"}';
    const completed = '{\n  "$schema": "https://opencode.ai/config.json",\n  "model": "a/b"\n}';
    assert.equal(part('opencode.json', project), part('opencode.json', completed));
    assert.notEqual(part('opencode.json', project), part('opencode.json', '{"model": "a/c"}'));
  });

  it('is all that gives files to a filter, wherever git sees a word begin', () => {
    for (const line of [
      '*.c filter=evil',
      '  *.c\ttext filter=evil',
      '*.c\rfilter=evil',
      '*.c text\rdiff=evil',
      '"a b" merge=evil',
      // no quotes for git: the pattern begins with one
      '"a filter=evil',
      '"a filter=evil\\q" text',
      '[attr]a filter=evil',
    ])
      assert.match(part('a/.gitattributes', `* text\n${line}\r\n`) ?? '', /evil/, JSON.stringify(line));
    assert.equal(part('.gitattributes', '# filter=a\n* text=auto eol=lf\r\n*.py diff=python\n'), undefined);
  });

  it('is all of what is nested so deep that it can’t be parsed, and stops nothing', () => {
    for (const depth of [1000, 4000, 7000, 100_000]) {
      const text = `{"scripts": ${'['.repeat(depth)}"evil"${']'.repeat(depth)}}`;
      for (const path of ['package.json', 'opencode.json', '.vscode/settings.json'])
        assert.match(part(path, text) ?? '', /evil/, `${path} ${depth}`);
    }
  });

  it('is not hidden in what an object inherits', () => {
    const hidden = '{"__proto__": {"git.path": "./evil"}}';
    for (const text of [hidden, `{"git.enabled": false, "a": [${hidden}]}`, hidden.replace('__', '\\u005f_')])
      assert.match(part('.vscode/settings.json', text) ?? '', /evil/, text);
  });

  it('are all settings but the one that puts git at rest', () => {
    assert.equal(part('.vscode/settings.json', '{"git.enabled": false}'), undefined);
    assert.notEqual(part('.vscode/settings.json', '{"git.enabled": true}'), undefined);
  });
});
