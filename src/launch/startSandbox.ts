import { Cancelled } from '../sandbox/userError';
import type { SupervisorInput } from '../supervisor/input';
import { firstPatienceMilliseconds } from './connect';
import type { SandboxConnection } from './connection';
import type { KnownSandbox, RegistryOptions, SandboxRegistry } from './sandboxRegistry';

/** What a start needs. */
export interface StartParts {
  readonly registry: Pick<SandboxRegistry, 'adopt' | 'stop'>;
  /** @returns the supervisor's socket; that of another one when the same sandbox was started meanwhile */
  readonly startSupervisor: (input: SupervisorInput) => Promise<string>;
  readonly connect: RegistryOptions['connect'];
}

/** A sandbox that runs, and a connection for a terminal. */
export interface StartedSandbox {
  readonly sandbox: KnownSandbox;
  readonly connection: SandboxConnection;
}

const patience = { patienceMilliseconds: firstPatienceMilliseconds };

/**
 * Starts a sandbox, enters it into the registry and returns a second connection, for a terminal. Whatever fails once
 * there is a supervisor, its sandbox is ended: nothing runs on that nobody can see.
 * @param signal aborted when nobody wants the sandbox any more
 * @throws UserError, Cancelled
 */
export async function startSandbox(
  input: SupervisorInput,
  { registry, startSupervisor, connect }: StartParts,
  signal: AbortSignal,
): Promise<StartedSandbox> {
  throwIfAborted(signal);
  const socket = await startSupervisor(input);
  try {
    const sandbox = await registry.adopt(socket, patience);
    throwIfAborted(signal);
    const connection = await connect(socket, patience);
    if (signal.aborted) {
      connection.dispose();
    }
    throwIfAborted(signal);
    return { sandbox, connection };
  } catch (error) {
    await registry.stop(input.specification.id);
    throw error;
  }
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new Cancelled('the terminal was closed');
  }
}
