import type { KnownSandbox, SandboxRegistry } from '../../launch/sandboxRegistry';
import type { Message } from '../../sandbox/message';
import type { AllowedHosts } from '../network/allowedHosts';
import type { ShownSandbox } from '../status/indicator';

/** The sandboxes of this window with what is to be said of each. */
export class ShownSandboxes {
  /** by the id of the sandbox that was prepared in this window */
  private readonly notes = new Map<string, readonly Message[]>();

  constructor(
    private readonly registry: Pick<SandboxRegistry, 'list'>,
    private readonly allowedHosts: Pick<AllowedHosts, 'onlyOnce'>,
  ) {}

  /** Keeps in mind what is to be said of a sandbox that is going to be started. */
  note(id: string, notes: readonly Message[]): void {
    this.notes.set(id, notes);
  }

  /** All of them, the oldest first. */
  list(): (ShownSandbox & KnownSandbox)[] {
    return this.registry.list().map((sandbox) => {
      const allowedOnce = this.allowedHosts.onlyOnce(sandbox.summary);
      return { ...sandbox, notes: this.notes.get(sandbox.summary.id), allowedOnce };
    });
  }
}
