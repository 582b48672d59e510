import { message } from '../sandbox/message';
import { type Command, familyOf, installCommands, installHelpers } from './distribution';
import type { HelperName, KernelFacts, SetupFacts, UserNamespaceFacts } from './facts';
import { blocking, commandsFix, ok, type SetupLine, warning } from './line';

/** What of the kernel and of the programs beside Apptainer every sandbox needs. */
export function kernelLines(facts: SetupFacts): SetupLine[] {
  const { apptainer } = facts;
  const helpers = apptainer.kind === 'found' ? [helperLine(facts, apptainer.helpers)] : [];
  return [...supportLines(facts), ...helpers];
}

/** Facts of the kernel, and of whose programs it has. */
type Support = KernelFacts & Pick<SetupFacts, 'distribution'>;

/**
 * What keeps an Apptainer that was only unpacked from making containers: it has no set-user-id programs and no profile
 * of AppArmor.
 */
export function unpackedObstacle(facts: Support): SetupLine | undefined {
  const userNamespaces = { ...facts.userNamespaces, hasAppArmorProfile: false };
  return supportLines({ ...facts, userNamespaces }).find(({ isBlocking }) => isBlocking);
}

function supportLines(facts: Support): SetupLine[] {
  return [userNamespaceLine(facts), fuseLine(facts), seccompLine(facts)];
}

function userNamespaceLine(facts: Support): SetupLine {
  const { maximum, unprivilegedClone } = facts.userNamespaces;
  if (maximum === 0) {
    return blocking(
      'userNamespaces',
      message('They are switched off: user.max_user_namespaces is 0. An administrator can raise it.'),
      ...commandsFix(sysctl('user.max_user_namespaces', 15000)),
    );
  }
  if (unprivilegedClone === 0) {
    return blocking(
      'userNamespaces',
      message(
        'They are for root alone: kernel.unprivileged_userns_clone is 0. An administrator can allow them.',
      ),
      ...commandsFix(sysctl('kernel.unprivileged_userns_clone', 1)),
    );
  }
  return isHeldByAppArmor(facts.userNamespaces)
    ? blocking(
        'userNamespaces',
        message(
          'AppArmor keeps them from programs without a profile, and Apptainer has none here. Its own package for Ubuntu (1.3.4 or later) brings one.',
        ),
        ...(familyOf(facts.distribution) === 'ubuntu'
          ? commandsFix(...installCommands(facts.distribution))
          : []),
      )
    : ok('userNamespaces', message('Ordinary users may make them.'));
}

/** @param value what the distributions have that allow it */
function sysctl(name: string, value: number): Command {
  return ['sudo', 'sysctl', '-w', `${name}=${value}`];
}

function isHeldByAppArmor({ appArmorRestriction, hasAppArmorProfile }: UserNamespaceFacts): boolean {
  return appArmorRestriction === 1 && !hasAppArmorProfile;
}

function fuseLine({ fuse }: KernelFacts): SetupLine {
  switch (fuse) {
    case 'usable':
      return ok('fuse', message('/dev/fuse can be opened, so images can be mounted.'));
    case 'missing':
      return blocking(
        'fuse',
        message(
          '/dev/fuse is missing, so images can’t be mounted. An administrator can load the module fuse.',
        ),
        ...commandsFix(['sudo', 'modprobe', 'fuse']),
      );
    case 'forbidden':
      return blocking(
        'fuse',
        message('You may not open /dev/fuse, so images can’t be mounted. An administrator can allow it.'),
        ...commandsFix(['sudo', 'chmod', '666', '/dev/fuse']),
      );
  }
}

function helperLine({ distribution }: SetupFacts, found: readonly HelperName[]): SetupLine {
  const has = (name: HelperName): boolean => found.includes(name);
  const install = commandsFix(...installHelpers(distribution, ['squashfuse', 'squashfs-tools']));
  if (!has('squashfuse') && !has('unsquashfs')) {
    // a script in the place of Apptainer may know where they are: only a start tells
    return warning(
      'helpers',
      message('Neither squashfuse nor unsquashfs was found. Without them no image can be mounted.'),
      ...install,
    );
  }
  if (!has('squashfuse')) {
    return warning(
      'helpers',
      message('squashfuse is missing: each start unpacks the whole image, which takes long. Install it.'),
      ...install,
    );
  }
  return has('mksquashfs')
    ? ok('helpers', message('Apptainer finds what it mounts and makes images with.'))
    : warning(
        'helpers',
        message('mksquashfs is missing: images run, but can’t be pulled or built. Install squashfs-tools.'),
        ...install,
      );
}

function seccompLine({ hasSeccomp }: KernelFacts): SetupLine {
  return hasSeccomp
    ? ok('seccomp', message('The kernel can filter system calls.'))
    : blocking(
        'seccomp',
        message('The kernel of this computer can’t filter system calls, which every sandbox needs.'),
      );
}
