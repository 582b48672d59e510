import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { type Message, message } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';

/** Kernel settings with which an Apptainer that was only unpacked can't make a container, and what root can do. */
const obstacles: readonly { readonly file: string; readonly value: string; readonly fix: Message }[] = [
  {
    file: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    value: '1',
    fix: message(
      'AppArmor lets only installed programs make user namespaces. Install Apptainer instead:\n  {0}',
      'sudo add-apt-repository ppa:apptainer/ppa && sudo apt-get install apptainer',
    ),
  },
  {
    file: '/proc/sys/kernel/unprivileged_userns_clone',
    value: '0',
    fix: message(
      'Ordinary users can’t make user namespaces. Let root run:\n  {0}',
      'sysctl kernel.unprivileged_userns_clone=1',
    ),
  },
  {
    file: '/proc/sys/user/max_user_namespaces',
    value: '0',
    fix: message(
      'Ordinary users can’t make user namespaces. Let root run:\n  {0}',
      'sysctl user.max_user_namespaces=15000',
    ),
  },
];

/**
 * Whether an Apptainer without set-user-id programs can work here: it needs user namespaces, and mounts images
 * through FUSE.
 * @throws UserError with what root can do about it
 */
export async function checkKernelSupport(): Promise<void> {
  for (const { file, value, fix } of obstacles) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.trim() === value) {
      throw new UserError('setup.noUserNamespaces', fix);
    }
  }
  try {
    await access('/dev/fuse', constants.R_OK | constants.W_OK);
  } catch (cause) {
    const fix = message(
      'Apptainer needs /dev/fuse, which you can’t open. Let root run:\n  {0}',
      'modprobe fuse; chmod 666 /dev/fuse',
    );
    throw new UserError('setup.noFuse', fix, undefined, { cause });
  }
}
