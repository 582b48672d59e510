import { dirname } from 'node:path';

/** An environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where Apptainer may look for its helpers (squashfuse, fuse-overlayfs, mksquashfs …). It takes them from PATH, so
 * the user's own PATH would let a program in a project folder run on the host.
 */
const systemFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** What a pull needs besides: the way out to the registry, whom to believe on it, and where there is room. */
const pullNames = [
  ...['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'],
  // for a site whose proxy looks into what it lets through: Apptainer's settings for registries don't reach the layers (seen with 1.4.5)
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['APPTAINER_CACHEDIR', 'APPTAINER_TMPDIR'],
];

/**
 * The whole environment in which the `apptainer` program runs on the host. Nothing that changes what Apptainer or
 * the loader does gets in: no APPTAINER*, SINGULARITY*, LD_*, no proxies (Apptainer hands those to the container),
 * and no address of the user's session bus, which the container could read in /proc/1/environ (measured).
 * @param apptainer path of the program; its own folder comes first on PATH, because an Apptainer that was unpacked
 *   somewhere has its helpers beside it, and who can change that folder can change the program itself
 * @param environment the user's, of which only HOME is taken
 */
export function toolEnvironment(apptainer: string, environment: Environment): Record<string, string> {
  return {
    PATH: searchPath(apptainer),
    LANG: 'C.UTF-8',
    ...pick(environment, ['HOME']),
  };
}

/** {@link toolEnvironment} for `apptainer pull`, which also needs the user's proxies, authorities and cache folder. */
export function pullEnvironment(apptainer: string, environment: Environment): Record<string, string> {
  return { ...toolEnvironment(apptainer, environment), ...pick(environment, pullNames) };
}

/** Whether the folder of this program can stand on PATH, where a colon separates the folders. */
export function canStandOnSearchPath(program: string): boolean {
  return !dirname(program).includes(':');
}

function searchPath(program: string): string {
  const own = dirname(program);
  const folders = systemFolders.includes(own) || !canStandOnSearchPath(program) ? [] : [own];
  return [...folders, ...systemFolders].join(':');
}

function pick(environment: Environment, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined && value !== '') picked[name] = value;
  }
  return picked;
}
