import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { Refusal } from './refusal.mjs';
import { userMay, userName } from './user.mjs';

/** Nothing in these is given to another user. */
const systemTrees = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/proc',
  '/run',
  '/sbin',
  '/sys',
  '/usr',
];
/** These themselves are not, folders in them may be. */
const systemFolders = [
  '/',
  '/home',
  '/media',
  '/mnt',
  '/opt',
  '/root',
  '/srv',
  '/tmp',
  '/var',
  '/var/lib',
  '/var/tmp',
];

/**
 * Whether the folder has to be given to the user before an agent can work in it.
 * @param {string} folder absolute
 * @param {{ uid: number, gid: number } | undefined} user undefined: it does not exist yet
 * @param {{ uid: number, gid: number }} visitor the user, or one with no more rights than it will have
 * @throws {Refusal} when the user can't be brought to work there
 */
export function needsNewOwner(folder, user, visitor) {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new Refusal(`There is no folder ${folder}.`);
  }
  const real = realpathSync(folder);
  if (!userMay(visitor, 'x', dirname(real))) {
    throw new Refusal(
      `An ordinary user can't get to ${folder}, because a folder above it is closed.\n` +
        'Move it to where ordinary users can work (for example below /srv or /home), or run this as its owner.',
    );
  }
  const owner = statSync(real).uid;
  if (userMay(visitor, 'rwx', real) && (user === undefined || owner === user.uid || owner === 0)) {
    return owner === user?.uid && rootOwnsSomethingIn(real);
  }
  if (owner !== 0) {
    throw new Refusal(`${folder} belongs to another user. Run this as that user instead of root.`);
  }
  if (systemFolders.includes(real) || systemTrees.some((tree) => isInside(real, tree))) {
    throw new Refusal(`${folder} is a folder of the system. Choose a folder of your own.`);
  }
  return true;
}

/**
 * Gives what root owns in the folder to the user; links are not followed, other file systems not entered.
 * @param {string} folder
 * @param {{ uid: number, gid: number }} user
 */
export function giveFolder(folder, { uid, gid }) {
  const real = realpathSync(folder);
  const linked = spawnSync('find', [real, '-xdev', '-type', 'f', '-links', '+1', '-print', '-quit'], {
    encoding: 'utf8',
  });
  if (linked.status !== 0 || linked.stdout !== '') {
    throw new Refusal(
      `${folder} has files with a second name elsewhere (hard links), which can't be given away. Use a copy of the folder.`,
    );
  }
  const owner = `${uid}:${gid}`;
  const outcome = spawnSync('find', [real, '-xdev', '-uid', '0', '-exec', 'chown', '-h', owner, '{}', '+'], {
    encoding: 'utf8',
  });
  if (outcome.status !== 0) {
    throw new Refusal(`${folder} could not be given to ${userName}: ${outcome.stderr.trim()}`);
  }
}

function rootOwnsSomethingIn(folder) {
  const args = [folder, '-xdev', '-uid', '0', '-print', '-quit'];
  return spawnSync('find', args, { encoding: 'utf8' }).stdout !== '';
}

function isInside(path, folder) {
  return !relative(folder, path).startsWith('..');
}
