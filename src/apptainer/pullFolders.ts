import { isAbsolute, join } from 'node:path';
import type { Environment } from '../sandbox/hostEnvironment';
import type { PullFolderRole } from '../sandbox/refusePullFolder';

/** What the settings say of folders for pulls and builds; empty: what the environment says counts. */
export type PullFolders = Readonly<Record<PullFolderRole, string>>;

/** An environment in which these folders count, whatever it said before. */
export function withPullFolders(environment: Environment, { cache, temporary }: PullFolders): Environment {
  return {
    ...environment,
    ...(cache === '' ? {} : { APPTAINER_CACHEDIR: cache }),
    ...(temporary === '' ? {} : { APPTAINER_TMPDIR: temporary }),
  };
}

/** Where Apptainer keeps what it downloads (its user guide: "Build Environment"); undefined without a home. */
export function cacheFolder(environment: Environment): string | undefined {
  const named = environment['APPTAINER_CACHEDIR'];
  if (named !== undefined && isAbsolute(named)) return join(named, 'cache');
  const home = environment['HOME'];
  return home?.startsWith('/') === true ? join(home, '.apptainer', 'cache') : undefined;
}

/** Below which folder a pull unpacks images. */
export function temporaryFolder(environment: Environment): string {
  const named = environment['APPTAINER_TMPDIR'] || environment['TMPDIR'];
  return named !== undefined && isAbsolute(named) ? named : '/tmp';
}
