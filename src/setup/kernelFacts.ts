import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { codeOf } from '../host/safeFiles';
import type { KernelFacts, UserNamespaceFacts } from './facts';
import { readText } from './systemFiles';

/** What the kernel of this computer lets this user do. Reads small files, and opens /dev/fuse for a moment. */
export async function readKernelFacts(): Promise<KernelFacts> {
  return {
    userNamespaces: await readUserNamespaces(),
    fuse: await openFuse(),
    hasSeccomp: /^Seccomp:/m.test(await readText('/proc/self/status')),
  };
}

async function readUserNamespaces(): Promise<UserNamespaceFacts> {
  const profiles = await readdir('/etc/apparmor.d').catch(() => []);
  return {
    maximum: await readNumber('/proc/sys/user/max_user_namespaces'),
    unprivilegedClone: await readNumber('/proc/sys/kernel/unprivileged_userns_clone'),
    appArmorRestriction: await readNumber('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    hasAppArmorProfile: profiles.some((name) => name.includes('apptainer')),
  };
}

async function openFuse(): Promise<KernelFacts['fuse']> {
  try {
    // permissions alone don't say it: a group of devices can be forbidden (cgroups)
    await (await open('/dev/fuse', constants.O_RDWR)).close();
    return 'usable';
  } catch (error) {
    return ['ENOENT', 'ENODEV', 'ENXIO'].includes(codeOf(error) ?? '') ? 'missing' : 'forbidden';
  }
}

async function readNumber(path: string): Promise<number | undefined> {
  const text = (await readText(path)).trim();
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
