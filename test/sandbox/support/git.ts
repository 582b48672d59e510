import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

/** Makes a folder a git repository, with its opencode.json in the first commit. */
export function initialiseGit(folder: string): void {
  git(folder, 'init', '-q');
  git(folder, 'add', 'opencode.json');
  git(folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'begin');
}

function git(folder: string, ...words: string[]): void {
  const { status, stderr } = spawnSync('git', ['-C', folder, ...words], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}
