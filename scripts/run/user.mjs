import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { Refusal } from './refusal.mjs';

/** Who does the work when root starts it. */
export const userName = 'sandboxed-agent';

/**
 * @typedef {{ uid: number, gid: number, home: string }} User
 * @returns {User | undefined}
 */
export function findUser() {
  const { stdout } = spawnSync('getent', ['passwd', userName], { encoding: 'utf8' });
  const [, , uid, gid, , home] = (stdout ?? '').trim().split(':');
  return home ? { uid: Number(uid), gid: Number(gid), home } : undefined;
}

/**
 * Makes the user, with a home and without a password.
 * @returns {User}
 */
export function createUser() {
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const args = [
    '--create-home',
    '--user-group',
    '--shell',
    shell,
    '--comment',
    'Sandboxed Agent set-up',
    userName,
  ];
  const outcome = spawnSync('useradd', args, { encoding: 'utf8' });
  const user = findUser();
  if (!user) {
    throw new Refusal(
      `The user ${userName} could not be made (${(outcome.stderr ?? '').trim() || outcome.error?.message}).\n` +
        'Make it by hand, with a home, or run this as an ordinary user.',
    );
  }
  return user;
}

/** @param {User} user */
export function checkUser({ uid, home }) {
  if (uid === 0 || !existsSync(home) || statSync(home).uid !== uid) {
    throw new Refusal(
      `The user ${userName} needs a home of its own, but ${home} is not. Or run this as an ordinary user.`,
    );
  }
}

/**
 * Whether the user could read (`r`), write (`w`) or enter (`x`) a path; the kernel is asked, as that user.
 * @param {{ uid: number, gid: number }} user
 * @param {string} modes
 * @param {string} path
 */
export function userMay({ uid, gid }, modes, path) {
  return [...modes].every(
    (mode) => spawnSync('test', [`-${mode}`, path], { uid, gid, cwd: '/' }).status === 0,
  );
}
