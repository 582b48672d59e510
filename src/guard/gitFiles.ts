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
  let section = '';
  for (const line of text.split('\n')) {
    section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const found = /^(?:\s*\[[^\]]*\])?\s*([A-Za-z][\w-]*)\s*=\s*(.*?)\s*$/.exec(line);
    const value = found?.[2]?.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1') ?? '';
    const key = `${section}.${found?.[1]?.toLowerCase()}`;
    if (value === '' || value.startsWith('~') || value.includes('\0')) continue;
    if (key === 'core.hookspath') hooks.push(value);
    if (/^include(if)?\.path$/.test(key)) includes.push(value);
  }
  return { hooks, includes };
}
