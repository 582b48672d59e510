import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { debianPackages } from './environment';

/** Folders that Debian keeps below /usr, with links that lead there. */
const mergedFolders = ['bin', 'sbin', 'lib', 'lib64'];

/** The packages of a smallest Debian, or those that definitions install on top with all that they depend on. */
function packageFiles(group: 'base' | 'more'): string[] {
  const folder = join(debianPackages(), group);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(folder, name));
}

/**
 * Unpacks what a smallest Debian consists of, and puts the packages themselves beside it, for {@link configureDebian}.
 * @param root an empty folder
 */
export function unpackDebian(root: string): void {
  for (const folder of mergedFolders) {
    mkdirSync(join(root, 'usr', folder), { recursive: true });
    symlinkSync(join('usr', folder), join(root, folder));
  }
  mkdirSync(join(root, 'packages'));
  for (const file of packageFiles('base')) {
    execFileSync('/usr/bin/dpkg-deb', ['--extract', file, root]);
    cpSync(file, join(root, 'packages', basename(file)));
  }
}

/** Commands for the root of what {@link unpackDebian} made: it becomes a Debian that knows what is installed in it. */
export const configureDebian = `    export DEBIAN_FRONTEND=noninteractive
    dpkg --force-depends --install packages/*.deb
    rm -r packages`;

/** What a mirror of Debian has of the packages for tests, without signatures: a line of `sources.list` for it. */
export const debianSource = (address: string): string => `deb [trusted=yes] ${address} ./\n`;

/** @returns what the mirror for {@link debianSource} has at a path */
export function debianMirrorContent(): (path: string) => Buffer | string | undefined {
  const names = new Map(
    [...packageFiles('base'), ...packageFiles('more')].map((file) => [basename(file), file]),
  );
  const files = new Map([...names.values()].map((file, index) => [`/pool/${index}.deb`, file]));
  const index = [...files].map(([path, file]) => paragraphOf(path, file)).join('\n');
  const release = `Suite: trixie\nSHA256:\n ${sha256(index)} ${Buffer.byteLength(index)} Packages\n`;
  return (path) => {
    const file = files.get(path);
    if (file !== undefined) return readFileSync(file);
    return { '/Packages': index, '/Release': release }[path];
  };
}

function paragraphOf(path: string, file: string): string {
  const content = readFileSync(file);
  const fields = execFileSync('/usr/bin/dpkg-deb', ['--field', file], { encoding: 'utf8' });
  return `${fields.trim()}\nFilename: .${path}\nSize: ${content.length}\nSHA256: ${sha256(content)}\n`;
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
