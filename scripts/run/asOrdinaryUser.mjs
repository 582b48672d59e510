import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ask } from './ask.mjs';
import { ordinaryEnvironment } from './environment.mjs';
import { giveFolder, needsNewOwner } from './folder.mjs';
import { Refusal } from './refusal.mjs';
import { parseTryArguments } from './tryArguments.mjs';
import { checkUser, createUser, findUser, userMay, userName } from './user.mjs';
import { readWorkingTree, writeWorkingTree } from './workingTree.mjs';

const fuse = '/dev/fuse';
/** nobody: a user without rights of its own, as a new one will be */
const anybody = { uid: 65534, gid: 65534 };

/**
 * Runs the same again as an ordinary user, in a copy of this clone that the user owns. What root does for that is
 * said and asked first.
 * @param {{ repository: string, name: string, args: string[], agreed: boolean }} request agreed: need not be asked
 * @returns {Promise<number>} the exit code
 */
export async function runAsOrdinaryUser({ repository, name, args, agreed }) {
  const existing = findUser();
  const visitor = existing ?? anybody;
  if (!userMay(visitor, 'x', process.execPath)) {
    throw new Refusal(
      `An ordinary user can't run ${process.execPath}. Install Node.js where every user can run it.`,
    );
  }
  const { folder, folderPosition } = name === 'try' ? parseTryArguments(args) : {};
  const isGiven = folder !== undefined && needsNewOwner(folder, existing, visitor);
  const opensFuse = existsSync(fuse) && !userMay(visitor, 'rw', fuse);
  const actions = [
    ...(existing ? [] : [`make the user ${userName}, with a home and without a password`]),
    ...(opensFuse
      ? [`let every user open ${fuse} (chmod 666, as udev does on most systems): Apptainer needs it`]
      : []),
    ...(isGiven ? [`give what root owns in ${folder} to ${userName} (chown)`] : []),
    `copy this clone into the home of ${userName}, and go on there as ${userName}`,
  ];
  if (!(await isAllowed(actions, agreed, isGiven))) {
    throw new Refusal('Nothing was done.');
  }
  const user = existing ?? createUser();
  checkUser(user);
  if (opensFuse) {
    chmodSync(fuse, 0o666);
  }
  if (isGiven) {
    giveFolder(folder, user);
  }
  const entries = readWorkingTree(repository);
  const copy = join(
    user.home,
    `sandboxed-agent-${createHash('sha256').update(repository).digest('hex').slice(0, 8)}`,
  );
  becomeUser(user);
  writeWorkingTree(entries, copy);
  if (folder !== undefined) {
    console.error(`Files that are made in ${folder} belong to ${userName}.`);
  }
  const moved = folder === undefined ? args : args.with(folderPosition, folder);
  return runThere(copy, name, moved, ordinaryEnvironment(process.env, user.home));
}

/**
 * Says what root would do and asks, unless that was agreed to before or nobody can be asked. Somebody's folder is only
 * given away when somebody said yes.
 * @param {readonly string[]} actions
 * @param {boolean} agreed
 * @param {boolean} givesFolder
 * @returns {Promise<boolean>}
 * @throws {Refusal}
 */
export async function isAllowed(actions, agreed, givesFolder) {
  console.error(
    'You are root. Apptainer run by root is no sandbox, so the work is done by an ordinary user.',
  );
  console.error('For that, this will be done as root:');
  for (const action of actions) {
    console.error(`  - ${action}`);
  }
  const answer = agreed ? true : await ask('Go on?', !givesFolder);
  if (answer === undefined && givesFolder) {
    throw new Refusal('Nobody can be asked here. To agree to this, add --yes. Nothing was done.');
  }
  if (answer === undefined) {
    console.error('Going on: nobody can be asked here, and you are root already.');
  }
  return answer ?? true;
}

/** From here on nothing is done as root any more. */
function becomeUser({ uid, gid }) {
  process.chdir('/');
  process.umask(0o022);
  process.initgroups(userName, gid);
  process.setgid(gid);
  process.setuid(uid);
}

/**
 * In a session of its own: a program that shares root's terminal could type into root's shell. So what stops a
 * program (Ctrl+C, a hang-up) reaches only us, and is passed on to all of that session.
 */
function runThere(copy, name, args, env) {
  const program = [join(copy, 'scripts/run.mjs'), name, ...args];
  const child = spawn(process.execPath, program, { cwd: copy, env, stdio: 'inherit', detached: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => process.kill(-child.pid, signal));
  }
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => settle(code ?? 128 + constants.signals[signal]));
  });
}
