import { type GitSetting, readGitConfiguration } from './gitConfiguration';

/**
 * What git's own files say of where it goes on reading, as text. Git is never asked: it would act on what it reads.
 */

/** The folder that a `.git` file or a `commondir` file names, as it is written there. */
export function namedFolder(text: string, kind: 'gitdir' | 'commondir'): string | undefined {
  const line = text.split('\n')[0] ?? '';
  const name = kind === 'gitdir' ? /^gitdir: (.+)$/.exec(line)?.[1] : line;
  return name === undefined || name === '' || name.includes('\0') ? undefined : name;
}

/** Paths in a configuration (git-config(1)) at which git finds programs that it runs, or more configuration. */
export interface ConfiguredPaths {
  /** core.hooksPath: relative to the work tree */
  readonly hooks: readonly string[];
  /** include.path, includeIf.….path: relative to the folder of the configuration */
  readonly includes: readonly string[];
  /** what commands and other settings name: relative to the work tree, where git runs them */
  readonly programs: readonly string[];
}

/** Finds the paths that matter in the text of a configuration, as they are written there. */
export function configuredPaths(text: string): ConfiguredPaths {
  const hooks: string[] = [];
  const includes: string[] = [];
  const programs: string[] = [];
  for (const setting of readGitConfiguration(text).settings) {
    const { section, subsection, key, value = '' } = setting;
    if (value === '' || value.includes('\0')) continue;
    if (section === 'core' && subsection === undefined && key === 'hookspath') hooks.push(value);
    else if (['include', 'includeif'].includes(section) && key === 'path') includes.push(value);
    // not all of them as arguments: a value may be a megabyte of names
    else for (const name of namedPrograms(setting)) programs.push(name);
  }
  // of several in one file the last counts
  return { hooks: hooks.slice(-1), includes, programs };
}

/** Settings that name addresses, people or files that are only read, as `section.key`. */
const harmless = new Set([
  ...['core.worktree', 'core.excludesfile', 'blame.ignorerevsfile', 'commit.template', 'mailmap.file'],
  ...['remote.url', 'remote.pushurl', 'remote.fetch', 'remote.push', 'submodule.url', 'lfs.url'],
]);

/**
 * What a setting names that may be a program, or an argument of one: git has some forty settings for commands, tools add
 * theirs, and most are lines for a shell. A first word without a slash is looked for in the PATH.
 */
function namedPrograms({ section, key, value = '' }: GitSetting): string[] {
  // a helper of git, which may run whatever the address names (gitremote-helpers(7))
  const isCommand = value.includes('::') || !harmless.has(`${section}.${key}`);
  if (!isCommand || ['branch', 'user', 'color'].includes(section)) return [];
  if (section === 'alias' && !value.startsWith('!')) return [];
  const words = value
    .replace(/^!/, '')
    // the top of the work tree, mostly; bounded, else a line of `$(` alone takes minutes
    .replace(/\$\([^)]{0,80}\)|`[^`]{0,80}`|\$\{[^}]{0,80}\}|\$\w+/g, '.')
    .split(/[\s"'`;|&()<>=]+/)
    .filter((word) => word !== '');
  return words.filter((word, index) => {
    const isPath = word.includes('/') || (index > 0 && word.includes('.'));
    return isPath && /[^./]/.test(word) && !/^-|:\/\//.test(word);
  });
}
