import { connectSandbox } from './connect';
import { answerMilliseconds, HostSandboxes, type HostSandboxesOptions } from './hostSandboxes';
import type { LiveSandboxes } from './liveSandboxes';

/** Finds the sandboxes of this host in the index, and only looks at them: none is kept alive by that. */
export function hostSandboxesOf(
  live: LiveSandboxes,
  listeners: Pick<HostSandboxesOptions, 'onChange' | 'onError'>,
): HostSandboxes {
  return new HostSandboxes({
    entries: () => live.entered(),
    watch: (listener, onFailure) => live.watch(listener, onFailure),
    connect: (socket) => connectSandbox(socket, { observes: true, patienceMilliseconds: answerMilliseconds }),
    ...listeners,
  });
}
