import { rm } from 'node:fs/promises';
import { createFile, entryPath, openFolder, readSmallFile } from '../../src/host/safeFiles';
import { demoConfigurationText, isDemoConfigurationText } from './demoConfiguration';

const fileName = 'opencode.json';
/** Ours is much smaller. */
const maximumBytes = 65_536;

/**
 * Writes an opencode.json that names the demo model, unless the folder has one of its own.
 * @returns whether opencode will use the demo model
 */
export async function writeDemoFile(folder: string, baseUrl: string): Promise<boolean> {
  await removeDemoFile(folder);
  const handle = await openFolder(folder);
  try {
    return await createFile(entryPath(handle, fileName), demoConfigurationText(baseUrl));
  } finally {
    await handle.close();
  }
}

/** Removes what {@link writeDemoFile} wrote, unless somebody changed it. */
export async function removeDemoFile(folder: string): Promise<void> {
  const handle = await openFolder(folder);
  try {
    const entry = entryPath(handle, fileName);
    const text = await readSmallFile(entry, maximumBytes).catch(() => undefined);
    if (text !== undefined && isDemoConfigurationText(text.toString('utf8'))) {
      await rm(entry);
    }
  } finally {
    await handle.close();
  }
}
