import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from './refusal.mjs';

/**
 * `npm ci` unless the packages are those of package-lock.json; what a package wants to run at install is not run.
 * @param {string} repository
 * @throws {Refusal}
 */
export function installPackages(repository) {
  const stamp = join(repository, 'node_modules/.stamp');
  const wanted = createHash('sha256')
    .update(readFileSync(join(repository, 'package-lock.json')))
    .digest('hex');
  if (readIfThere(stamp) === wanted) {
    return;
  }
  console.error('· Getting the node packages (npm ci) …');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const npm = spawnSync('npm', ['ci', ...flags], { cwd: repository, stdio: ['ignore', 2, 2] });
  if (npm.status !== 0) {
    throw new Refusal(
      `npm ci failed${npm.error ? ` (${npm.error.message})` : ''}. Its messages above say why.`,
    );
  }
  checkNodePty(repository);
  writeFileSync(stamp, wanted);
}

/** The one package with a native part, which it ships ready-made for common systems. */
function checkNodePty(repository) {
  const load = spawnSync(process.execPath, ['-e', "require('node-pty')"], {
    cwd: repository,
    stdio: 'ignore',
  });
  if (load.status !== 0) {
    throw new Refusal(
      'The package node-pty has no ready-made binary for this system. Install python3, make and g++, then run\n' +
        '  npm rebuild node-pty --ignore-scripts=false\nand try again.',
    );
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
