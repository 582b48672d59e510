import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram } from '../../scripts/setup/command';
import { runProcess } from '../../src/host/runProcess';
import { configureDebian, debianSource, unpackDebian } from './debianBase';
import { apptainer } from './environment';
import { layerOf, pushOciImage } from './ociImage';

/**
 * Makes a smallest Debian without root, and pushes it to a registry as `debian:trixie`; as `node:20` with the Node.js of
 * this test on top, where the image of that name has it.
 * @param folder an empty one
 * @param registry such as `http://127.0.0.1:5000`
 * @param sources from where what is made of the image installs packages: of Debian, and of npm
 */
export async function pushDebian(
  folder: string,
  registry: string,
  sources: { readonly mirror: string; readonly npm: string },
): Promise<void> {
  const debian = layerOf(await makeDebian(folder));
  const settings = join(folder, 'settings');
  for (const place of ['etc/apt', 'usr/local/etc']) mkdirSync(join(settings, place), { recursive: true });
  writeFileSync(join(settings, 'etc/apt/sources.list'), debianSource(sources.mirror));
  writeFileSync(join(settings, 'usr/local/etc/npmrc'), `registry=${sources.npm}\n`);
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const layers = [debian, layerOf(settings)];
  await pushOciImage(registry, 'debian', 'trixie', { architecture, layers });
  layers.push(layerOf(copyNode(join(folder, 'node'))));
  await pushOciImage(registry, 'node', '20', { architecture, layers });
}

async function makeDebian(folder: string): Promise<string> {
  const [unpacked, made, definition] = ['unpacked', 'made', 'base.def'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(unpacked);
  unpackDebian(unpacked);
  writeFileSync(definition, `Bootstrap: localimage\nFrom: ${unpacked}\n\n%post\n${configureDebian}\n`);
  const { exitCode, stderr } = await runProcess({
    ...{ file: apptainer(), args: ['build', '--ignore-subuid', '--sandbox', made, definition], cwd: '/' },
    env: { HOME: folder, PATH: `${dirname(apptainer())}:/usr/bin:/bin`, APPTAINER_TMPDIR: folder },
    ...{ timeoutMilliseconds: 240_000, maximumOutputBytes: 1_000_000 },
  });
  if (exitCode !== 0) throw new Error(stderr);
  return made;
}

/** The program and npm, as the official image of Node.js has them. */
function copyNode(root: string): string {
  const local = join(root, 'usr/local');
  mkdirSync(join(local, 'bin'), { recursive: true });
  cpSync(process.execPath, join(local, 'bin/node'));
  const npm = dirname(dirname(realpathSync(findProgram('npm'))));
  cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  return root;
}

/** Makes an npm package of the opencode of an image. @returns its file */
export function packOpencode(folder: string, image: string, name: string, version: string): Buffer {
  const place = join(folder, 'package');
  mkdirSync(place, { recursive: true });
  const found = execFileSync(
    apptainer(),
    ['-q', 'exec', '--containall', image, '/bin/sh', '-c', 'cat "$(command -v opencode)"'],
    { env: { HOME: folder, PATH: `${dirname(apptainer())}:/usr/bin:/bin` }, maxBuffer: 2 ** 30 },
  );
  writeFileSync(join(place, 'opencode'), found, { mode: 0o755 });
  writeFileSync(
    join(place, 'package.json'),
    JSON.stringify({ name, version, bin: { opencode: 'opencode' } }),
  );
  // npm takes the first part of each path away, which must not be a dot
  return execFileSync('/usr/bin/tar', ['-C', folder, '-czf', '-', 'package'], { maxBuffer: 2 ** 30 });
}
