import { readCrashNote } from '../../host/crashNotes';
import { connectSandbox } from '../../launch/connect';
import { recordsFolder } from '../../launch/storageFolders';
import type { LiveSandboxes } from '../../launch/liveSandboxes';
import { SandboxRegistry } from '../../launch/sandboxRegistry';
import type { Log } from '../log';
import { realFolders } from '../window';

/** The registry of the sandboxes of this window's folders. */
export function windowRegistry(live: LiveSandboxes, log: Log, storageDirectory: string): SandboxRegistry {
  return new SandboxRegistry({
    findLive: () => live.find(),
    connect: connectSandbox,
    end: (id) => live.end(id),
    folders: realFolders,
    readCrash: (id) => readCrashNote(recordsFolder(storageDirectory), id),
    log: (line) => log.info(line),
  });
}
