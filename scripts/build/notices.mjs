import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Packages that leave out the licence of the repository that they come from, with a copy of it beside this file. */
const leftOut = {
  '@xterm/addon-serialize': 'xterm.LICENSE',
  '@xterm/headless': 'xterm.LICENSE',
};

const title = `Third-party notices

Sandboxed Agent contains code of the packages below. Each is under the licence that follows its name.
`;

/**
 * The text with the licences of all packages of which code is in a bundle.
 * @param {readonly import('esbuild').Metafile[]} metafiles of the bundles
 * @param {string} repository the folder that the paths in the metafiles start from
 * @returns {string}
 * @throws {Error} when a package has no licence file: its code must not be shipped without
 */
export function thirdPartyNotices(metafiles, repository) {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs: parts }) =>
      Object.keys(parts).filter((path) => parts[path].bytesInOutput > 0),
    ),
  );
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const sections = [...folders].sort().map((folder) => section(join(repository, folder)));
  return [title, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}

/** `node_modules/NAME` of a path in it, also where packages are in packages. */
function packageFolder(path) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

function section(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(entry));
  const path = file === undefined ? copyOf(name) : join(folder, file);
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

function copyOf(name) {
  if (!Object.hasOwn(leftOut, name)) {
    throw new Error(`The package ${name} has no licence file, so it can't be shipped.`);
  }
  return fileURLToPath(new URL(leftOut[name], import.meta.url));
}
