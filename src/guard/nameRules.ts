import type { RuleId } from './ruleTexts';

/** What a name, or a path, must be like for a rule. */
export type NameRule = readonly [RegExp, RuleId];

/** The rule of all these names, which are regular expressions. */
function rule(id: RuleId, ...names: readonly string[]): NameRule {
  return [new RegExp(`^(${names.join('|')})$`), id];
}

/** Files of which what is written in them is run, by the name alone, in lower case; the first that matches counts. */
export const nameRules: readonly NameRule[] = [
  rule(
    'shell',
    ...['\\.envrc(\\..+)?', '\\.?mise(\\.[\\w-]+)*\\.toml', '\\.tool-versions'],
    // an .envrc that is allowed evaluates them anew whenever they change
    ...['(flake|shell|default|devenv)\\.nix', 'devbox\\.json'],
    '\\.(bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|kshrc|cshrc|tcshrc|inputrc)',
  ),
  // the Python extension gives its variables to what it starts, and so do debuggers, test runners and compose
  rule('environment', '\\.env(\\.(local|development|dev|test|production|prod))?'),
  rule('commitHook', '\\.pre-commit-config\\.ya?ml', '\\.?lefthook(-local)?\\.ya?ml', '\\.huskyrc.*'),
  rule(
    'pipeline',
    ...['\\.gitlab-ci\\.ya?ml', 'jenkinsfile', 'azure-pipelines\\.ya?ml', '\\.travis\\.yml'],
    ...['bitbucket-pipelines\\.yml', '\\.drone\\.ya?ml', '\\.woodpecker\\.ya?ml', '\\.cirrus\\.(yml|star)'],
    ...['\\.?appveyor\\.yml', '\\.readthedocs\\.ya?ml'],
  ),
  rule(
    'packageScripts',
    ...['package\\.json', '\\.npmrc', '\\.yarnrc(\\.yml)?', '\\.pnpmfile\\.c?js', 'pnpm-workspace\\.yaml'],
    ...['bunfig\\.toml', 'deno\\.jsonc?', 'composer\\.json'],
  ),
  rule('pythonStart', 'sitecustomize\\.py', 'usercustomize\\.py', 'pyvenv\\.cfg', '.+\\.pth'),
  rule(
    'build',
    ...['(gnu)?makefile', '.+\\.mk', 'cmakelists\\.txt', 'cmake(user)?presets\\.json', '.+\\.cmake'],
    ...['meson\\.build', 'sconstruct', 'sconscript', 'wscript', 'configure(\\.ac)?', '\\.bazelrc'],
    ...['(build|workspace|module)\\.bazel', 'setup\\.(py|cfg)', 'pyproject\\.toml', 'pixi\\.toml'],
    ...['snakefile', '.+\\.smk', 'nextflow\\.config', '\\.?justfile', 'taskfile\\.ya?ml'],
    ...['rakefile', 'gemfile', 'dockerfile', 'containerfile', '(docker-)?compose\\.ya?ml', 'vagrantfile'],
    // extensions for these languages ask the project's own build as soon as the folder is opened
    ...['cargo\\.toml', 'build\\.rs', 'rust-toolchain(\\.toml)?', 'rust-analyzer\\.toml', 'build\\.zig'],
    ...['(build|settings|init)\\.gradle(\\.kts)?', 'gradle\\.properties', 'gradlew', 'pom\\.xml', 'mvnw'],
    ...['.+\\.(cs|fs|vb)proj', '.+\\.(props|targets)', 'nuget\\.config', 'build\\.s(bt|c)', 'build\\.mill'],
    ...['mix\\.exs', 'rebar\\.config', 'package\\.swift', 'hie\\.yaml', '.+\\.cabal', 'dune(-project)?'],
  ),
  rule('tests', 'conftest\\.py', 'tox\\.ini', 'noxfile\\.py', 'pytest\\.ini'),
  rule(
    'tool',
    ...['[\\w.-]+\\.config\\.[cm]?[jt]s', '(gulpfile|gruntfile)\\.[cm]?[jt]s', '\\w+\\.conf\\.[cm]?[jt]s'],
    '\\.(eslintrc|prettierrc|babelrc|stylelintrc|mocharc|lintstagedrc|releaserc)(\\.(c?js|mjs|json|ya?ml))?',
    // they name plug-ins, or code to begin with
    ...['\\.?pylintrc(\\.toml)?', '\\.flake8', '\\.?mypy\\.ini', '\\.lintr', '\\.rubocop\\.yml'],
    ...['phpstan(\\.dist)?\\.neon', '\\.php-cs-fixer(\\.dist)?\\.php', '\\.(formatter|credo)\\.exs'],
  ),
  rule(
    'startFile',
    ...['\\.rprofile', '\\.renviron', '\\.rdata', '\\.?latexmkrc', '\\.octaverc', '(startup|finish)\\.m'],
    ...['profile\\.do', 'scilab\\.ini', '\\.gdbinit', '\\.lldbinit', '\\.vimrc', '\\.exrc'],
    ...['\\.l(ocal)?vimrc', '\\.nvimrc', '\\.nvim\\.lua'],
    ...['\\.dir-locals(-2)?\\.el', '\\.tmux\\.conf', '\\.pythonrc(\\.py)?'],
    ...['ipython(_kernel)?_config\\.(py|json)', 'jupyter\\w*_config\\.(py|json)'],
    ...['\\.?rootlogon\\.c', '\\.rootrc'],
    ...['\\.irbrc', '\\.pryrc', '\\.ghci', '\\.ocamlinit', '\\.iex\\.exs', '\\.erlang'],
  ),
  rule(
    'agent',
    ...['opencode\\.jsonc?', '\\.mcp\\.json', '(agents|claude|gemini)(\\.local)?\\.md'],
    ...['\\.(cursor|windsurf|cline)rules', '\\.aider\\.conf\\.yml'],
  ),
  rule('gitAttributes', '\\.gitattributes'),
];
