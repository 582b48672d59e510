import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeOwnedFolder } from '../host/ownedFolder';
import { removeTree } from '../host/removeTree';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import type { RunTool } from './runTool';

const aptGet = '/usr/bin/apt-get';
const aptConfig = '/usr/bin/apt-config';
const dpkgDeb = '/usr/bin/dpkg-deb';
/** Debian's keys, as Debian's and Ubuntu's package debian-archive-keyring installs them. */
const systemKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** Names a mirror of Debian, for systems that are no Debian themselves. */
const mirrorVariable = 'SANDBOXED_AGENT_DEBIAN_MIRROR';

export type DebianSuite = 'trixie' | 'unstable';

export interface DebianArchiveOptions {
  readonly suite: DebianSuite;
  /** where its lists and downloads are kept, absolute */
  readonly folder: string;
  readonly run: RunTool;
  /** whose signatures count: a file of keys, or one that it makes in the given folder; default: Debian's */
  readonly findKeyring?: (folder: string, run: RunTool) => Promise<string>;
}

/**
 * Gets packages of one Debian suite with the system's own apt, but without root and without a trace in the system:
 * lists, downloads and the (empty) list of installed packages are in a folder of ours. Signatures are checked.
 */
export class DebianArchive {
  private constructor(
    private readonly folder: string,
    private readonly run: RunTool,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /**
   * Fetches the suite's package lists; what was fetched before is only asked for changes.
   * @throws UserError when there is no apt, or the mirror does not answer
   */
  static async open(options: DebianArchiveOptions): Promise<DebianArchive> {
    const { suite, folder, run, findKeyring = findDebianKeyring } = options;
    if (!hasApt()) {
      throw new UserError(
        'setup.noApt',
        message('This needs apt-get and dpkg-deb, which are not installed here.'),
      );
    }
    await mkdir(join(folder, 'lists/partial'), { recursive: true });
    await mkdir(join(folder, 'archives/partial'), { recursive: true });
    await writeFile(join(folder, 'status'), '');
    await writeFile(join(folder, 'apt.conf'), await configuration(folder, run));
    const archive = new DebianArchive(folder, run, {
      ...process.env,
      LC_ALL: 'C.UTF-8',
      APT_CONFIG: join(folder, 'apt.conf'),
    });
    // apt takes the path of keys for several when it has a space, as a home can have; they are needed for this alone
    const keyFolder = await makeOwnedFolder('/tmp', 'keys');
    try {
      await writeFile(join(folder, 'sources.list'), await sources(suite, await findKeyring(keyFolder, run)));
      await archive.apt('update');
    } finally {
      await removeTree(keyFolder);
    }
    return archive;
  }

  /** Unpacks the packages and all that they depend on into `root`. No script of a package runs. */
  async unpack(packages: readonly string[], root: string): Promise<void> {
    await this.withFiles(packages, async (files) => {
      for (const file of files) await this.run(dpkgDeb, ['--extract', file, root]);
    });
  }

  /** Puts the packages and all that they depend on into `folder`, each as the file that Debian has of it. */
  async download(packages: readonly string[], folder: string): Promise<void> {
    await this.withFiles(packages, async (files) => {
      for (const file of files) await rename(file, join(folder, basename(file)));
    });
  }

  /** Fetches the packages and all that they depend on, and keeps none of them afterwards. */
  private async withFiles(
    packages: readonly string[],
    use: (files: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const archives = join(this.folder, 'archives');
    await this.apt('install', '--download-only', '--yes', '--no-install-recommends', ...packages);
    const names = (await readdir(archives)).filter((name) => name.endsWith('.deb'));
    await use(names.map((name) => join(archives, name)));
    await rm(archives, { recursive: true });
    await mkdir(join(archives, 'partial'), { recursive: true });
  }

  private async apt(...args: string[]): Promise<void> {
    await this.run(aptGet, ['--quiet', ...args], { environment: this.environment });
  }
}

/** Whether this is a system with Debian's package tools. */
export function hasApt(): boolean {
  return existsSync(aptGet) && existsSync(dpkgDeb);
}

async function sources(suite: DebianSuite, keyring: string): Promise<string> {
  const mirror = await debianMirror();
  const lines = [`deb [signed-by=${keyring}] ${mirror} ${suite} main`];
  if (suite !== 'unstable') {
    lines.push(
      `deb [signed-by=${keyring}] ${mirror.replace(/\/debian\/?$/, '/debian-security')} ${suite}-security main`,
    );
  }
  return lines.join('\n') + '\n';
}

/**
 * The mirror that the variable names, else the one that this system uses, if it is a Debian.
 * @throws UserError `setup.noMirror`
 */
async function debianMirror(): Promise<string> {
  const chosen = process.env[mirrorVariable];
  if (chosen) {
    return chosen.replace(/\/$/, '');
  }
  for (const file of ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list']) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const found = /^(?:URIs:|deb(?: \[[^\]]*\])?)\s+(https?:\/\/\S+\/debian)\/?(?:\s|$)/m.exec(text);
    if (found?.[1] !== undefined) {
      return found[1];
    }
  }
  throw new UserError(
    'setup.noMirror',
    message(
      'This system is no Debian, so it knows no mirror of Debian, from which this takes packages. Set the environment variable {0} to the address of one (it ends with /debian), or install what is missing yourself.',
      mirrorVariable,
    ),
  );
}

/** On Ubuntu: Debian's keys from Ubuntu's own package of that name, which Ubuntu's signatures vouch for. */
async function findDebianKeyring(folder: string, run: RunTool): Promise<string> {
  if (existsSync(systemKeyring)) return systemKeyring;
  await run(aptGet, ['--quiet', 'download', 'debian-archive-keyring'], { cwd: folder });
  for (const name of await readdir(folder)) {
    await run(dpkgDeb, ['--extract', join(folder, name), folder]);
  }
  return join(folder, systemKeyring);
}

/** The system's way to reach a mirror (proxies, time-outs), and nothing else of its configuration: no hooks. */
async function configuration(folder: string, run: RunTool): Promise<string> {
  const system = await run(aptConfig, ['dump']);
  const reaching = system.split('\n').filter((line) => /^Acquire::(?!IndexTargets|Languages)/.test(line));
  return [
    ...reaching,
    'Acquire::Languages "none";',
    'Dir::Etc::Main "/dev/null";',
    'Dir::Etc::Parts "/dev/null";',
    'Dir::Etc::Preferences "/dev/null";',
    'Dir::Etc::PreferencesParts "/dev/null";',
    'Dir::Etc::SourceParts "/dev/null";',
    `Dir::Etc::SourceList "${folder}/sources.list";`,
    `Dir::State "${folder}";`,
    `Dir::State::Lists "${folder}/lists";`,
    `Dir::State::status "${folder}/status";`,
    `Dir::Cache "${folder}";`,
    `Dir::Cache::Archives "${folder}/archives";`,
    `Dir::Log "${folder}";`,
    'Binary::apt-get::APT::Keep-Downloaded-Packages "true";',
    '',
  ].join('\n');
}
