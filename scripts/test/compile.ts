import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryFolder } from '../setup/paths';
import { goodEnd, runNodeProgram } from './nodeProgram';

const timeoutMilliseconds = 5 * 60_000;

/**
 * Compiles the tests and bundles the extension. Types are checked by `npm run typecheck`, which takes longer.
 *
 * @throws Error when there is something to correct; what, has been printed
 */
export async function compile(signal: AbortSignal): Promise<void> {
  // a compiled test whose source is gone must not run
  await rm(join(repositoryFolder, 'out/test'), { recursive: true, force: true });
  const transpile = [
    'node_modules/esbuild/bin/esbuild',
    ...['--outdir=out', '--outbase=.', '--format=cjs', '--platform=node', '--target=node20'],
    ...['--sourcemap', '--log-level=warning'],
    ...sources(),
  ];
  for (const argv of [transpile, ['scripts/build.mjs']]) {
    const end = await runNodeProgram({ argv, signal, timeoutMilliseconds });
    if (end !== goodEnd) {
      throw new Error(`${argv.slice(0, 1).join(' ')}: ${end}`);
    }
  }
}

function sources(): string[] {
  return ['src', 'test', 'scripts'].flatMap((folder) =>
    readdirSync(join(repositoryFolder, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
      .map((path) => join(folder, path)),
  );
}
