import { access, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, repositoryFolder } from '../setup/paths';

/** The copy of the example in which an agent may work; made once, and kept with what was done in it. */
export async function ensureExampleFolder(): Promise<string> {
  const folder = join(cacheFolder, 'example');
  const exists = await access(folder).then(
    () => true,
    () => false,
  );
  if (!exists) {
    await cp(join(repositoryFolder, 'example'), folder, { recursive: true });
  }
  return folder;
}
