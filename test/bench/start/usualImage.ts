import { join } from 'node:path';
import { requireSuccess, runProcess } from '../../../src/host/runProcess';
import { pullEnvironment } from '../../../src/sandbox/hostEnvironment';
import { apptainer, image } from '../../support/environment';

/** Apptainer packs some 200 MB in 20 s on two processors. */
const packMilliseconds = 600_000;

/**
 * Packs the tests' image anew as Apptainer does it unless it is told otherwise, above all when it pulls: with gzip. The
 * tests' own is packed to be fast, with LZ4.
 * @param folder has room for the image and its work files, 1 GB
 * @returns path of the image
 */
export async function packAsUsual(folder: string, signal: AbortSignal): Promise<string> {
  const path = join(folder, 'usual.sif');
  const outcome = await runProcess({
    file: apptainer(),
    args: ['--quiet', 'build', path, image()],
    env: { ...pullEnvironment(apptainer(), process.env), APPTAINER_TMPDIR: folder },
    cwd: folder,
    ...{ signal, timeoutMilliseconds: packMilliseconds, maximumOutputBytes: 10_000 },
  });
  requireSuccess(apptainer(), outcome);
  return path;
}
