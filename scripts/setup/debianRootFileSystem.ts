import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DebianArchive } from '../../src/setup/debianArchive';

/** Folders that Debian keeps below /usr, with links that lead there. */
const mergedFolders = ['bin', 'sbin', 'lib', 'lib64'];

/** Folders that a container needs to exist; the last two are where Sandboxed Agent binds its own. */
const mountPoints = ['dev', 'proc', 'sys', 'run', 'tmp', 'var/tmp', 'root', 'home/agent', 'etc/opencode'];

/** Links that packages make when root installs them, and that matter here: where → to what. */
const programLinks: Readonly<Record<string, string>> = {
  'usr/bin/sh': 'dash',
  'usr/bin/awk': 'gawk',
  'usr/bin/which': 'which.debianutils',
};

/** The same below the folder of the processor's libraries; numpy needs them. */
const libraryLinks: Readonly<Record<string, string>> = {
  'libblas.so.3': 'blas/libblas.so.3',
  'liblapack.so.3': 'lapack/liblapack.so.3',
};

/** Nobody reads these inside an image, and they would be a good part of it. */
const unused = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
  'usr/share/lintian',
  'var/cache',
];

const files: Readonly<Record<string, string>> = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  'etc/group': 'root:x:0:\nnogroup:x:65534:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/**
 * Fills `root` with the packages and makes what their scripts would have made and that matters in a container: no
 * script of a package runs, and nothing needs root.
 */
export async function makeDebianRoot(
  archive: DebianArchive,
  packages: readonly string[],
  root: string,
): Promise<void> {
  for (const folder of mergedFolders) {
    await mkdir(join(root, 'usr', folder), { recursive: true });
    await symlink(join('usr', folder), join(root, folder));
  }
  await archive.unpack(packages, root);
  for (const folder of mountPoints) {
    await mkdir(join(root, folder), { recursive: true });
  }
  for (const folder of unused) {
    await rm(join(root, folder), { recursive: true, force: true });
  }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(root, name), text);
  }
  await makeLinks(root, programLinks);
  for (const name of await readdir(join(root, 'usr/lib'))) {
    if (name.endsWith('-linux-gnu')) {
      await makeLinks(join(root, 'usr/lib', name), libraryLinks);
    }
  }
  await collectCertificates(root);
}

/** Makes the links whose target is there and whose name is free. */
async function makeLinks(folder: string, links: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, target] of Object.entries(links)) {
    const path = join(folder, name);
    if ((await exists(join(dirname(path), target))) && !(await exists(path))) {
      await symlink(target, path);
    }
  }
}

/** What the script of the package ca-certificates does: all of Mozilla's authorities in one file. */
async function collectCertificates(root: string): Promise<void> {
  const authorities = join(root, 'usr/share/ca-certificates/mozilla');
  if (!(await exists(authorities))) {
    return;
  }
  const names = (await readdir(authorities)).filter((name) => name.endsWith('.crt')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(authorities, name), 'utf8')));
  await mkdir(join(root, 'etc/ssl/certs'), { recursive: true });
  await writeFile(join(root, 'etc/ssl/certs/ca-certificates.crt'), texts.join(''));
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
