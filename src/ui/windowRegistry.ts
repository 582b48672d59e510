import { connectSandbox } from '../launch/connect';
import type { LiveSandboxes } from '../launch/liveSandboxes';
import { SandboxRegistry } from '../launch/sandboxRegistry';
import type { Log } from './log';
import { realFolders } from './window';

/** The registry of the sandboxes of this window's folders. */
export function windowRegistry(live: LiveSandboxes, log: Log): SandboxRegistry {
  return new SandboxRegistry({
    findLive: () => live.find(),
    connect: connectSandbox,
    end: (id) => live.end(id),
    folders: realFolders,
    log: (line) => log.info(line),
  });
}
