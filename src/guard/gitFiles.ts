import { readGitConfiguration } from './gitConfiguration';

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
}

/** Finds the paths that matter in the text of a configuration. Those that begin with `~` lie outside. */
export function configuredPaths(text: string): ConfiguredPaths {
  const hooks: string[] = [];
  const includes: string[] = [];
  for (const { section, subsection, key, value = '' } of readGitConfiguration(text).settings) {
    if (value === '' || value.startsWith('~') || value.includes('\0')) continue;
    if (section === 'core' && subsection === undefined && key === 'hookspath') hooks.push(value);
    if (['include', 'includeif'].includes(section) && key === 'path') includes.push(value);
  }
  return { hooks, includes };
}
