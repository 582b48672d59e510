import { join } from 'node:path';
import { DebianArchive, type DebianSuite } from '../../src/setup/debianArchive';
import { runCommand } from './command';
import { cacheFolder } from './paths';

/** Where what comes from a suite of Debian is kept, in the git-ignored cache. */
export function debianFolder(suite: DebianSuite): string {
  return join(cacheFolder, 'debian', suite);
}

/** Debian's packages of one suite. @throws UserError when there is no apt, or the mirror does not answer */
export function openDebianArchive(suite: DebianSuite): Promise<DebianArchive> {
  return DebianArchive.open({ suite, folder: debianFolder(suite), run: runCommand });
}
