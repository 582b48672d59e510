import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryFolder } from '../setup/paths';
import { goodEnd, runNodeProgram } from './nodeProgram';

const timeoutMilliseconds = 5 * 60_000;

/**
 * Compiles the tests and bundles the extension.
 *
 * @throws Error when there is something to correct; what, has been printed
 */
export async function compile(signal: AbortSignal): Promise<void> {
  // a compiled test whose source is gone must not run
  await rm(join(repositoryFolder, 'out/test'), { recursive: true, force: true });
  const commands = [['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'], ['scripts/build.mjs']];
  for (const argv of commands) {
    const end = await runNodeProgram({ argv, signal, timeoutMilliseconds });
    if (end !== goodEnd) {
      throw new Error(`${argv.join(' ')}: ${end}`);
    }
  }
}
