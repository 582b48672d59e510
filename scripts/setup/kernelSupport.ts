import { formatMessage, message } from '../../src/sandbox/message';
import { UserError } from '../../src/sandbox/userError';

import { readKernelFacts } from '../../src/setup/kernelFacts';
import { unpackedObstacle } from '../../src/setup/kernelLines';
import { readDistribution } from '../../src/setup/systemFiles';
import { commandList } from './command';

/**
 * Whether an Apptainer without set-user-id programs can work here: it needs user namespaces, and mounts images
 * through FUSE.
 * @throws UserError with what root can do about it
 */
export async function checkKernelSupport(): Promise<void> {
  const obstacle = unpackedObstacle({
    ...(await readKernelFacts()),
    distribution: await readDistribution(),
  });
  if (obstacle === undefined) return;
  const { id, detail, fixes } = obstacle;
  const commands = fixes.flatMap((fix) => (fix.kind === 'commands' ? fix.commands : []));
  throw new UserError(`setup.${id}`, message('{0}{1}', formatMessage(detail), commandList(commands)));
}
