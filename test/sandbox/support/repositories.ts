import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs git on the host as a user does: with the repository's own hooks and configuration. @returns what it prints */
export function git(folder: string, ...words: readonly string[]): string {
  return execFileSync('git', words, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/nonexistent' },
      ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.org' },
      ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.org' },
    },
  });
}

/**
 * Makes a repository with all that can hold a program for the host: a nested one, a submodule, a work tree, included
 * configuration, configuration of its own for each work tree, and files that an editor and a shell act on.
 */
export function makeRepository(folder: string): void {
  const origin = mkdtempSync(join(tmpdir(), 'origin-'));
  try {
    git(origin, 'init', '-q');
    git(origin, 'commit', '-q', '--allow-empty', '-m', 'first');
    mkdirSync(join(folder, 'vendor'));
    mkdirSync(join(folder, '.vscode'));
    for (const [name, content] of [
      ['.gitignore', 'agent-home\n'],
      ['file.txt', 'text\n'],
      ['.envrc', 'export A=1\n'],
      ['extra.gitconfig', '[alias]\n'],
      ['.vscode/tasks.json', '{}\n'],
    ] as const) {
      writeFileSync(join(folder, name), content);
    }
    git(folder, 'init', '-q');
    git(folder, 'config', 'include.path', '../extra.gitconfig');
    git(folder, 'config', 'extensions.worktreeConfig', 'true');
    git(folder, 'clone', '-q', origin, 'vendor/lib');
    git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'module');
    git(folder, 'add', 'file.txt', '.gitignore', '.envrc', '.vscode');
    git(folder, 'commit', '-qm', 'first');
    git(folder, 'worktree', 'add', '-q', 'tree');
  } finally {
    rmSync(origin, { recursive: true });
  }
}
