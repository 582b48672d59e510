/** What of /etc/os-release tells how programs are installed (os-release(5)). */
export interface Distribution {
  /** such as `Rocky Linux 9.4`, or empty */
  readonly name: string;
  /** its own id, then those of what it is made from */
  readonly ids: readonly string[];
}

/** Reads /etc/os-release, of which nothing is believed but what it is for. */
export function parseDistribution(content: string): Distribution {
  const values = new Map<string, string>();
  for (const [, name = '', , value = ''] of content.matchAll(/^([A-Z_]+)=(["']?)(.*)\2$/gm)) {
    values.set(name, value);
  }
  const ids = [values.get('ID'), ...(values.get('ID_LIKE')?.split(/\s+/) ?? [])];
  return {
    name: values.get('PRETTY_NAME') ?? values.get('NAME') ?? '',
    ids: ids.filter((id) => id !== undefined).filter((id) => /^[a-z0-9._-]+$/.test(id)),
  };
}

/** A program and its arguments. */
export type Command = readonly string[];

type Family = 'ubuntu' | 'debian' | 'fedora' | 'enterprise' | 'suse' | 'arch' | 'alpine' | 'gentoo' | 'nixos';

/** Of a distribution, by its own id before those of its kin. */
const families: Readonly<Record<string, Family>> = {
  ubuntu: 'ubuntu',
  debian: 'debian',
  fedora: 'fedora',
  rhel: 'enterprise',
  centos: 'enterprise',
  rocky: 'enterprise',
  almalinux: 'enterprise',
  suse: 'suse',
  'opensuse-leap': 'suse',
  'opensuse-tumbleweed': 'suse',
  arch: 'arch',
  alpine: 'alpine',
  gentoo: 'gentoo',
  nixos: 'nixos',
};

/** @returns undefined for one that we know nothing of */
export function familyOf({ ids }: Distribution): Family | undefined {
  return ids.map((id) => families[id]).find((family) => family !== undefined);
}

/**
 * How an administrator installs Apptainer, as its documentation has it
 * (https://apptainer.org/docs/admin/latest/installation.html#install-from-pre-built-packages).
 * @returns commands, one after the other; none where there is no package
 */
export function installCommands(distribution: Distribution): readonly Command[] {
  switch (familyOf(distribution)) {
    case 'ubuntu':
      return [
        ['sudo', 'add-apt-repository', '-y', 'ppa:apptainer/ppa'],
        ['sudo', 'apt-get', 'update'],
        ['sudo', 'apt-get', 'install', '-y', 'apptainer'],
      ];
    case 'fedora':
      return [['sudo', 'dnf', 'install', '-y', 'apptainer']];
    case 'enterprise':
      return [
        ['sudo', 'dnf', 'install', '-y', 'epel-release'],
        ['sudo', 'dnf', 'install', '-y', 'apptainer'],
      ];
    case 'suse':
      return [['sudo', 'zypper', 'install', 'apptainer']];
    case 'arch':
      return [['sudo', 'pacman', '-S', 'apptainer']];
    case 'alpine':
      return [['sudo', 'apk', 'add', 'apptainer']];
    case 'gentoo':
      return [['sudo', 'emerge', 'app-containers/apptainer']];
    case 'nixos':
      return [['nix-env', '--install', '--attr', 'nixos.apptainer']];
    // stable releases of Debian have no package of it
    case 'debian':
    case undefined:
      return [];
  }
}

/** How an administrator installs what Apptainer mounts and makes images with. */
export function installHelpers(distribution: Distribution, helpers: readonly string[]): readonly Command[] {
  switch (familyOf(distribution)) {
    case 'ubuntu':
    case 'debian':
      return [['sudo', 'apt-get', 'install', '-y', ...helpers]];
    case 'fedora':
    case 'enterprise':
      return [['sudo', 'dnf', 'install', '-y', ...helpers]];
    case 'suse':
      return [
        [
          'sudo',
          'zypper',
          'install',
          ...helpers.map((name) => (name === 'squashfs-tools' ? 'squashfs' : name)),
        ],
      ];
    case 'arch':
      return [['sudo', 'pacman', '-S', ...helpers]];
    case 'alpine':
      return [['sudo', 'apk', 'add', ...helpers]];
    case 'gentoo':
      return [['sudo', 'emerge', ...helpers.map((name) => `sys-fs/${name}`)]];
    // its package of Apptainer brings them
    case 'nixos':
    case undefined:
      return [];
  }
}
