import { nameRules, type NameRule } from './nameRules';
import type { RuleId } from './ruleTexts';

/** Folders of environments that tools make in a project: venv, conda, pixi, tox, nox, direnv. */
const environments = '(^|/)(\\.?v?env|\\.conda|\\.pixi/envs/[^/]+|\\.(tox|nox)/[^/]+|\\.direnv/python-[^/]+)';

/** Rules by the whole path below the folder, in lower case; the first that matches counts. */
const pathRules: readonly NameRule[] = [
  [/(^|\/)\.git$/, 'repository'],
  [/(^|\/)\.git\/(.*\/)?(config(\.worktree)?|commondir|gitdir|hooks\/[^/]+|info\/attributes)$/, 'git'],
  [
    /(^|\/)(\.hg\/hgrc(-not-shared)?|\.sl\/config|\.jj\/(repo\/)?config\.toml|_darcs\/prefs\/defaults)$/,
    'git',
  ],
  [/(^|\/)\.vscode\/|\.code-workspace$/, 'editor'],
  [/(^|\/)\.(idea|devcontainer|zed|fleet|nova|vs|settings)\/|(^|\/)\.devcontainer\.json$/, 'otherEditor'],
  [/(^|\/)(\.husky|\.githooks)\//, 'commitHook'],
  [/(^|\/)\.(github|gitlab|gitea|forgejo|circleci|buildkite|woodpecker)\//, 'pipeline'],
  // those of other agents, too: they run on this computer, and some have hooks and servers of their own
  [/(^|\/)\.(opencode|claude|cursor|gemini|codex|continue|windsurf|roo|kiro|junie)\//, 'agent'],
  [/(^|\/)\.?mise\/(conf\.d\/)?[^/]+\.toml$/, 'shell'],
  [/(^|\/)node_modules\/\.bin\/[^/]+$/, 'packagePrograms'],
  [/(^|\/)\.cargo\/config(\.toml)?$|(^|\/)\.mvn\/|(^|\/)gradle\/wrapper\//, 'build'],
  [new RegExp(`${environments}/bin/(python|pypy)[\\d.]*$`), 'interpreter'],
  [new RegExp(`${environments}/bin/[^/]+$`), 'packagePrograms'],
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
