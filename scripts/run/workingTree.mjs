import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Refusal } from './refusal.mjs';

/** What set-up makes in a clone; kept in a copy from one run to the next. */
const made = ['node_modules', '.cache', 'out', 'dist'];

/** @typedef {{ path: string, link?: string, content?: Buffer, executable?: boolean }} Entry */

/**
 * The files of a clone as they are now, changed and new ones too, ignored ones not.
 * @param {string} repository
 * @returns {Entry[]}
 */
export function readWorkingTree(repository) {
  const git = [
    '-c',
    `safe.directory=${repository}`,
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
  ];
  const { status, stdout, stderr, error } = spawnSync('git', git, {
    cwd: repository,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    throw new Refusal(
      `The files of ${repository} could not be listed: ${error?.message ?? stderr.toString().trim()}`,
    );
  }
  const paths = new Set(stdout.toString().split('\0').filter(Boolean));
  return [...paths].map((path) => readEntry(repository, path)).filter((entry) => entry !== undefined);
}

/**
 * Makes `target` the same files, and removes what else was there but what set-up has made. Call it as the user that
 * shall own them: root must not write into a folder of somebody else, who could put links there.
 * @param {readonly Entry[]} entries
 * @param {string} target
 */
export function writeWorkingTree(entries, target) {
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(target)) {
    if (!made.includes(name)) {
      rmSync(join(target, name), { recursive: true });
    }
  }
  for (const { path, link, content, executable } of entries) {
    const file = join(target, path);
    mkdirSync(dirname(file), { recursive: true });
    if (link === undefined) {
      writeFileSync(file, content, { mode: executable ? 0o755 : 0o644 });
    } else {
      symlinkSync(link, file);
    }
  }
}

function readEntry(repository, path) {
  const file = join(repository, path);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) {
    return { path, link: readlinkSync(file) };
  }
  return stats?.isFile()
    ? { path, content: readFileSync(file), executable: (stats.mode & 0o100) !== 0 }
    : undefined;
}
