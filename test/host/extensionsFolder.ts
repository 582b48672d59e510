import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { parseAs } from '../../src/sandbox/parseAs';
import { vscodeHost } from '../support/environment';
import { withoutVscode } from './environment';

const manifest = v.object({ publisher: v.string(), name: v.string(), version: v.string() });

/**
 * Makes an extension that is built in `folder` an installed one: VS Code follows the link.
 *
 * @param extensionsFolder VS Code's `--extensions-dir`; made where it does not exist
 * @returns where VS Code finds it
 */
export function linkExtension(folder: string, extensionsFolder: string): string {
  const { publisher, name, version } = parseAs(
    manifest,
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
  );
  const link = join(extensionsFolder, `${publisher}.${name}-${version}`);
  mkdirSync(extensionsFolder, { recursive: true });
  symlinkSync(folder, link);
  return link;
}

/**
 * Installs a packaged extension with the server's own command line.
 *
 * @returns the folder into which it was unpacked
 * @throws Error with what VS Code said
 */
export function installExtension(vsix: string, extensionsFolder: string): string {
  const { nodeBinary, vscodeFolder } = vscodeHost();
  const argv = [
    join(vscodeFolder, 'out/server-main.js'),
    ...['--install-extension', vsix, '--extensions-dir', extensionsFolder, '--accept-server-license-terms'],
  ];
  const outcome = spawnSync(nodeBinary, argv, { env: withoutVscode(process.env), encoding: 'utf8' });
  const [installed] =
    outcome.status === 0
      ? readdirSync(extensionsFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
      : [];
  if (installed === undefined) {
    throw new Error(`${vsix} could not be installed:\n${outcome.stdout}${outcome.stderr}`);
  }
  return join(extensionsFolder, installed.name);
}
