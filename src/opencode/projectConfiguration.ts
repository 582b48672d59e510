import { entryPath, openFolder, readSmallFile, UnsafeFileError } from '../host/safeFiles';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';

/** The names under which opencode looks for a project's configuration, in the order in which it merges them. */
const fileNames = ['opencode.json', 'opencode.jsonc'];
const maximumBytes = 1024 * 1024;

/**
 * Reads the configuration of opencode that lies in a workspace. The agent can write there: links are not followed,
 * FIFOs not opened, and no more than 1 MiB is read.
 * @returns the texts of the files that exist
 * @throws UserError `projectConfiguration.notAFile`, `.tooLarge`, `.noAccess`: opencode would read what we can't
 *   judge, and might start on a model that nobody chose
 */
export async function readProjectConfiguration(workspace: string): Promise<string[]> {
  const folder = await openFolder(workspace);
  try {
    const texts: string[] = [];
    for (const name of fileNames) {
      const text = await readIfThere(entryPath(folder, name), `${workspace}/${name}`);
      if (text !== undefined) texts.push(text);
    }
    return texts;
  } finally {
    await folder.close();
  }
}

async function readIfThere(entry: string, path: string): Promise<string | undefined> {
  try {
    return (await readSmallFile(entry, maximumBytes)).toString('utf8');
  } catch (error) {
    if (!(error instanceof UnsafeFileError)) throw error;
    const show = { kind: 'revealFile', path } as const;
    switch (error.reason) {
      case 'missing':
        return undefined;
      case 'tooLarge':
        throw new UserError(
          'projectConfiguration.tooLarge',
          message(
            '{0} is larger than 1 MiB, which no configuration of opencode is. Remove it or make it smaller.',
            path,
          ),
          show,
        );
      case 'noAccess':
        throw new UserError(
          'projectConfiguration.noAccess',
          message('You may not read {0}. Check its permissions.', path),
          show,
        );
      case 'symbolicLink':
      case 'notAFile':
      case 'notAFolder':
      case 'foreignOwner':
        throw new UserError(
          'projectConfiguration.notAFile',
          message('{0} is not an ordinary file (it may be a symbolic link). Put a file in its place.', path),
          show,
        );
    }
  }
}
