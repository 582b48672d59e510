import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { smokeTest } from '../../src/apptainer/smokeTest';
import { apptainer, image } from '../../test/support/environment';
import { getTestParts } from '../../test/bench/parts';
import type { Results } from './compare';

/** What the figures depend on besides our own code. */
export async function describeComputer(): Promise<Results['computer']> {
  await getTestParts();
  const tried = await smokeTest({ apptainer: apptainer(), image: image(), environment: process.env });
  const version = execFileSync(apptainer(), ['--version'], { encoding: 'utf8', env: {} });
  return {
    processors: availableParallelism(),
    processor: cpus()[0]?.model.trim(),
    'memory, GB': Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    apptainer: version.replace(/^\D+/, '').trim(),
    opencode: tried.kind === 'works' ? tried.opencodeVersion : tried.kind,
  };
}
