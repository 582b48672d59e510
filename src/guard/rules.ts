import type { RuleId } from './ruleTexts';

type NameRule = readonly [RegExp, RuleId];

/** Rules by the whole path below the folder, in lower case; the first that matches counts. */
const pathRules: readonly NameRule[] = [
  [/(^|\/)\.git$/, 'repository'],
  [/(^|\/)\.git\/(.*\/)?(config(\.worktree)?|commondir|gitdir|hooks\/[^/]+|info\/attributes)$/, 'git'],
  [/(^|\/)\.hg\/hgrc$/, 'git'],
  [/(^|\/)\.vscode\/|\.code-workspace$/, 'editor'],
  [/(^|\/)(\.idea|\.devcontainer)\/|(^|\/)\.devcontainer\.json$/, 'otherEditor'],
  [/(^|\/)(\.husky|\.githooks)\//, 'commitHook'],
  [/(^|\/)\.github\//, 'pipeline'],
  [/(^|\/)\.opencode\//, 'agent'],
  [/(^|\/)node_modules\/\.bin\/[^/]+$/, 'packagePrograms'],
  [/(^|\/)\.cargo\/config(\.toml)?$/, 'build'],
  [/(^|\/)\.?v?env\/bin\/(python|pypy)[\d.]*$/, 'interpreter'],
  [/(^|\/)\.?v?env\/bin\/[^/]+$/, 'packagePrograms'],
];

/** Rules by the name alone. */
const nameRules: readonly NameRule[] = [
  [
    /^(\.envrc|\.?mise(\.local)?\.toml|\.tool-versions|\.(bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|kshrc|cshrc|tcshrc|inputrc))$/,
    'shell',
  ],
  [/^(\.pre-commit-config\.ya?ml|\.?lefthook(-local)?\.ya?ml|\.huskyrc.*)$/, 'commitHook'],
  [/^(\.gitlab-ci\.yml|jenkinsfile|azure-pipelines\.yml|\.travis\.yml)$/, 'pipeline'],
  [/^(package\.json|\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.c?js|pnpm-workspace\.yaml)$/, 'packageScripts'],
  [/^(sitecustomize\.py|usercustomize\.py|pyvenv\.cfg|.+\.pth)$/, 'pythonStart'],
  [
    /^((gnu)?makefile|.+\.mk|cmakelists\.txt|cmakepresets\.json|meson\.build|setup\.(py|cfg)|pyproject\.toml|build\.rs|snakefile|.+\.smk|justfile|rakefile|gemfile|build\.gradle(\.kts)?|dockerfile|sconstruct)$/,
    'build',
  ],
  [/^(conftest\.py|tox\.ini|noxfile\.py|pytest\.ini)$/, 'tests'],
  [
    /^((eslint|prettier|babel|webpack|vite|vitest|jest|rollup|stylelint|postcss|tailwind|svelte|next|nuxt|astro|commitlint|playwright)\.config\.[cm]?[jt]s|\.(eslintrc|prettierrc|babelrc|stylelintrc|mocharc)(\.(c?js|mjs|json|ya?ml))?)$/,
    'tool',
  ],
  [
    /^(\.rprofile|\.renviron|\.?latexmkrc|\.octaverc|\.gdbinit|\.lldbinit|\.vimrc|\.exrc|\.nvimrc|\.nvim\.lua|\.tmux\.conf|startup\.m|\.pythonrc(\.py)?|\.rootlogon\.c|rootlogon\.c|\.rootrc)$/,
    'startFile',
  ],
  [/^opencode\.jsonc?$/, 'agent'],
  [/^\.gitattributes$/, 'gitAttributes'],
];

/** The rule for a file of this name, if it has one. @param path below the folder, without a `/` at its ends */
export function ruleByPath(path: string): RuleId | undefined {
  const lower = path.toLowerCase();
  // hooks that git never runs, and what it makes in every repository
  if (/\/hooks\/[^/]*\.sample$/.test(lower)) return undefined;
  const byPath = pathRules.find(([pattern]) => pattern.test(lower));
  if (byPath) return byPath[1];
  if (isInsideGit(path)) return undefined;
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  if (name === 'head') return 'bareRepository';
  return nameRules.find(([pattern]) => pattern.test(name))?.[1];
}

/** Folders of which what is deeper in them is guarded. */
const deepFolders: readonly NameRule[] = [
  [/(^|\/)\.?v?env$/, 'interpreter'],
  [/(^|\/)node_modules$/, 'packagePrograms'],
  [/(^|\/)\.cargo$/, 'build'],
  [/(^|\/)\.hg$|(^|\/)\.git\/(.*\/)?(info|modules|worktrees)$/, 'git'],
];

/** The rule for a link of this name: it may stand for a file or for a folder. @param path as for {@link ruleByPath} */
export function ruleByLink(path: string): RuleId | undefined {
  return (
    ruleByPath(path) ??
    ruleByPath(`${path}/x`) ??
    deepFolders.find(([pattern]) => pattern.test(path.toLowerCase()))?.[1]
  );
}

/** Whether a path lies in a `.git` folder. */
export function isInsideGit(path: string): boolean {
  return /(^|\/)\.git\//i.test(path);
}

/** Whether a name reads as something else than it is: control, format and bidirectional characters. */
export function isOddName(name: string): boolean {
  return /[\p{Cc}\p{Cf}\u2028\u2029\ufffd]/u.test(name);
}

/** Folders in `.git` that hold what git acts on; its objects and references are many and harmless. */
const gitFolders = new Set(['hooks', 'info', 'modules', 'worktrees']);
/** Folders that hold installed code in bulk, of which the part that runs by its name is looked at. */
const installed = new Set(['node_modules']);

/**
 * Whether to look into a folder.
 * @param path below the workspace
 */
export function isLookedInto(path: string): boolean {
  const names = path.toLowerCase().split('/');
  const [name = '', above = '', ...further] = [...names].reverse();
  if (above === '.git') return gitFolders.has(name);
  if (names.includes('.git') && name !== '.git') {
    // a submodule's folder may lie deep in modules/; what is in it is as in .git
    return !['objects', 'refs', 'logs', 'lfs', 'rebase-merge', 'rr-cache'].includes(name);
  }
  if (installed.has(above)) return name === '.bin';
  return ![above, ...further].some((each) => installed.has(each)) && name !== '__pycache__';
}
