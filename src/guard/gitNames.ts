import { realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isSameOrInside } from '../sandbox/paths';
import { type GitName, namedByGit } from './furtherGitPaths';
import { readEach } from './gitReading';
import { ruleByPath } from './rules';
import { repositoriesAbove } from './repositoriesAbove';
import type { RuleId } from './ruleTexts';

/** More repositories than a workspace has; those of an agent are findings of their own. */
const mostRepositories = 200;

type Names = ReadonlyMap<string, GitName['kind']>;

/**
 * What the repositories of a workspace, and those that it lies in, make git read or run in it, by their configuration:
 * hooks, included configuration and programs, whether they exist or not.
 */
export class GitNames {
  private readonly repositories = new Set<string>();
  private names: Names = new Map();
  /** of `hooks` and `folder`: what is in them counts */
  private folders: readonly string[] = [];
  /** some is not known: there are more repositories than are looked at, or their configurations are too much */
  isPartial = false;

  constructor(private readonly workspace: string) {}

  /** Something is there: perhaps a repository. @param path below the workspace */
  see(path: string): void {
    if (isGit(path) && this.repositories.size < mostRepositories) this.repositories.add(path);
  }

  /** Something is known: perhaps it lies in a repository. */
  seeBelow(path: string): void {
    const end = path.toLowerCase().indexOf('.git/');
    if (end >= 0) this.see(path.slice(0, end + 4));
  }

  forget(path: string): void {
    this.repositories.delete(path);
  }

  /** The rule for a path that git's configuration names. */
  ruleOf(path: string): RuleId | undefined {
    const kind = this.names.get(path);
    if (kind === 'program') return 'gitProgram';
    if (kind === 'configuration') return 'git';
    const folder = this.folders.find((each) => path.startsWith(`${each}/`));
    if (folder === undefined) return undefined;
    return this.names.get(folder) === 'hooks' ? 'git' : ruleByPath(`.git/${path.slice(folder.length + 1)}`);
  }

  /** Whether a change at this path may make git's configuration name something else. */
  isSource(path: string): boolean {
    const kind = this.names.get(path);
    return kind === 'configuration' || isGit(path) || /(^|\/)(config(\.worktree)?|commondir)$/.test(path);
  }

  /**
   * Reads the configurations anew.
   * @param isTrusted whether what a repository says counts: one that waits for an answer is a finding as a whole
   * @returns what was not named before, below the workspace; it may be a folder, or not exist
   */
  async renew(isTrusted: (repository: string) => boolean): Promise<string[]> {
    const before = this.names;
    const names = new Map<string, GitName['kind']>();
    const trusted = [...this.repositories].filter(isTrusted).map((repository) => {
      const path = join(this.workspace, repository);
      return { path, workTree: dirname(path) };
    });
    const all = [...trusted, ...(await repositoriesAbove(this.workspace))];
    const isComplete = await readEach(all, async ({ path, workTree }, reading) => {
      for (const name of await namedByGit(path, workTree, reading)) {
        for (const place of [name.path, await realpath(name.path).catch(() => name.path)]) {
          const below = place === path ? undefined : this.below(place);
          if (below !== undefined) names.set(below, name.kind);
        }
      }
    });
    this.names = names;
    this.isPartial = !isComplete || this.repositories.size >= mostRepositories;
    this.folders = [...names]
      .filter(([, kind]) => kind === 'hooks' || kind === 'folder')
      .map(([path]) => path);
    return [...names.keys()].filter((path) => before.get(path) !== names.get(path));
  }

  private below(path: string): string | undefined {
    const isBelow = path !== this.workspace && isSameOrInside(this.workspace, path);
    return isBelow ? relative(this.workspace, path) : undefined;
  }
}

function isGit(path: string): boolean {
  return /(^|\/)\.git$/i.test(path);
}
