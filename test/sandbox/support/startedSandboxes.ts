import type { SandboxConnection } from '../../../src/launch/connection';
import type { SandboxSpecification } from '../../../src/sandbox/specification';
import { waitUntil } from '../../support/waitUntil';
import { startSandbox, TestFolders } from './sandboxUnderTest';

/** Folders of one test, and what it starts in them. */
export class StartedSandboxes {
  readonly folders = new TestFolders();
  private readonly connections = new Set<SandboxConnection>();

  /** As {@link startSandbox}; it is stopped when the test is over. */
  async start(specification: SandboxSpecification): ReturnType<typeof startSandbox> {
    const started = await startSandbox(specification);
    this.connections.add(started.connection);
    return started;
  }

  /** Waits until a sandbox runs; it is stopped when the test is over. */
  async runs(connection: SandboxConnection): Promise<void> {
    this.connections.add(connection);
    await waitUntil(
      'it runs',
      () => connection.status.phase === 'running',
      60_000,
      () => JSON.stringify(connection.status),
    );
  }

  async remove(): Promise<void> {
    await Promise.all([...this.connections].map((connection) => connection.stop()));
    this.folders.remove();
  }
}

/** Those of each test of a block. */
export function useSandboxes(): () => StartedSandboxes {
  let present: StartedSandboxes | undefined;
  beforeEach(() => {
    present = new StartedSandboxes();
  });
  afterEach(() => present?.remove());
  return () => {
    if (!present) throw new Error('only in a test');
    return present;
  };
}
