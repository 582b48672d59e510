import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { withClaim } from '../host/claim';
import { readBootId } from '../host/processIdentity';
import { isConnectable, readIndexEntries } from '../host/sandboxIndex';
import { message } from '../sandbox/message';
import type { SandboxSpecification } from '../sandbox/specification';
import { UserError } from '../sandbox/userError';

/** A start that takes longer than the supervisor may (`startSupervisor.ts`) has gone wrong. */
const patienceMilliseconds = 40_000;

/**
 * Starts a sandbox, unless another window of this user has started one of the same kind for the same folder at the
 * same time: then it is that one. Tasks are never shared.
 *
 * @param start starts a supervisor, and returns its socket
 * @returns the socket of the sandbox that runs now
 * @throws UserError `start.busy` when another window does not get on with it, and what `start` throws
 */
export async function startOnce(
  specification: SandboxSpecification,
  start: () => Promise<string>,
): Promise<string> {
  const { kind, workspace, indexDirectory } = specification;
  if (kind === 'task' || kind === 'run' || kind === 'probes') return start();
  // boot: a home can be shared between hosts
  const name = createHash('sha256')
    .update(`${await readBootId()}\0${kind}\0${workspace.path}`)
    .digest('hex')
    .slice(0, 16);
  const patience = { milliseconds: patienceMilliseconds, tooLate: () => busy(workspace.path) };
  return withClaim(
    join(indexDirectory, `${name}.claim`),
    patience,
    async () => (await findRunning(specification)) ?? (await start()),
  );
}

async function findRunning({
  kind,
  workspace,
  indexDirectory,
}: SandboxSpecification): Promise<string | undefined> {
  for (const entry of await readIndexEntries(indexDirectory)) {
    const isSame = entry.kind === kind && entry.workspace === workspace.path;
    if (isSame && (await isConnectable(entry))) return entry.socket;
  }
  return undefined;
}

function busy(workspace: string): UserError {
  return new UserError(
    'start.busy',
    message('Another window has been starting a sandbox for {0} for a long time. Try again.', workspace),
  );
}
