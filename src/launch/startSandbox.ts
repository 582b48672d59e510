import type { SandboxSpecification } from '../sandbox/specification';
import { Cancelled } from '../sandbox/userError';
import { firstHelloMilliseconds } from './connect';
import type { SandboxConnection } from './connection';
import type { RegistryOptions, SandboxRegistry } from './sandboxRegistry';

/** What a start needs. */
export interface StartParts {
  readonly registry: Pick<SandboxRegistry, 'adopt' | 'stop'>;
  /** @returns the supervisor's socket */
  readonly startSupervisor: (specification: SandboxSpecification) => Promise<string>;
  readonly connect: RegistryOptions['connect'];
}

/**
 * Starts a sandbox, enters it into the registry and returns a second connection, for a terminal. Whatever fails once
 * there is a supervisor, the sandbox is ended: nothing runs on that nobody can see.
 * @param signal aborted when nobody wants the sandbox any more
 * @throws UserError, Cancelled
 */
export async function startSandbox(
  specification: SandboxSpecification,
  { registry, startSupervisor, connect }: StartParts,
  signal: AbortSignal,
): Promise<SandboxConnection> {
  throwIfAborted(signal);
  const socket = await startSupervisor(specification);
  try {
    await registry.adopt(socket, firstHelloMilliseconds);
    throwIfAborted(signal);
    const connection = await connect(socket, firstHelloMilliseconds);
    if (signal.aborted) {
      connection.dispose();
    }
    throwIfAborted(signal);
    return connection;
  } catch (error) {
    await registry.stop(specification.id);
    throw error;
  }
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new Cancelled('the terminal was closed');
  }
}
