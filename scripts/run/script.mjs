import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installPackages } from './packages.mjs';

/**
 * Gets the node packages, bundles scripts/NAME/main.ts and runs it in this process.
 * @param {{ repository: string, name: string, args: readonly string[] }} request
 */
export async function runScript({ repository, name, args }) {
  installPackages(repository);
  const program = join(repository, 'out/scripts', `${name}.cjs`);
  const esbuild = await import('esbuild');
  await esbuild.build({
    entryPoints: [join(repository, 'scripts', name, 'main.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  await esbuild.stop();
  process.argv = [process.execPath, program, ...args];
  await import(pathToFileURL(program).href);
}
