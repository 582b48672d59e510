import { statSync } from 'node:fs';
import { findShortage, type Shortage } from '../host/freeSpace';
import { message, type Message } from '../sandbox/message';
import type { SandboxSpecification } from '../sandbox/specification';

/** opencode writes 0.6 MB into an empty home before it shows anything (measured). */
const neededBytes = 1_000_000;

/**
 * Why an agent has no room to work, if it has none. With a full home opencode shows an empty screen for ever, or dies
 * in ways that nobody understands (measured with 1.18). The index must take an entry, too.
 */
export function explainFullDisk(specification: SandboxSpecification): Message | undefined {
  const { home, workspace, indexDirectory } = specification;
  const folders = [...(home.kind === 'folder' ? [home.folder.path] : []), workspace.path, indexDirectory];
  for (const folder of onePerFileSystem(folders)) {
    const shortage = findShortage(folder, neededBytes);
    if (shortage !== undefined) {
      return describeShortage(shortage, folder);
    }
  }
  return undefined;
}

function describeShortage(shortage: Shortage, folder: string): Message {
  return shortage === 'disk'
    ? message('The disk that holds {0} is full. Free some space there, then start again.', folder)
    : message(
        'Your quota on the disk that holds {0} is used up. Remove some of your files there, then start again.',
        folder,
      );
}

/** The first folder on each file system; what can't be looked at is left out. */
function onePerFileSystem(folders: readonly string[]): string[] {
  const first = new Map<number, string>();
  for (const folder of folders) {
    const device = statSync(folder, { throwIfNoEntry: false })?.dev;
    if (device !== undefined && !first.has(device)) {
      first.set(device, folder);
    }
  }
  return [...first.values()];
}
