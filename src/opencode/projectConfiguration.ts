import type { FileHandle } from 'node:fs/promises';
import { replaceFile } from '../host/replaceFile';
import { entryPath, openFolder, readSmallFile, UnsafeFileError } from '../host/safeFiles';
import { message } from '../sandbox/message';
import { UserError } from '../sandbox/userError';
import { NotEditableError } from './configurationEdits';
import { namesAt, parseObject } from './hostileJson';

/** The names under which opencode looks for a project's configuration, in the order in which it merges them. */
const fileNames = ['opencode.json', 'opencode.jsonc'] as const;
const maximumBytes = 1024 * 1024;
/** Far more than anybody writes, and few enough to be looked at one by one. */
const maximumProviders = 200;
const maximumModels = 2000;

/**
 * Reads the configuration of opencode that lies in a workspace. The agent can write there: links are not followed,
 * FIFOs not opened, and no more than 1 MiB is read.
 * @returns the texts of the files that exist
 * @throws UserError `projectConfiguration.notAFile`, `.tooLarge`, `.tooMany`, `.noAccess`: opencode would read what we can't
 *   judge, and might start on a model that nobody chose
 */
export async function readProjectConfiguration(workspace: string): Promise<string[]> {
  const folder = await openFolder(workspace);
  try {
    const texts: string[] = [];
    for (const name of fileNames) {
      const bytes = await readIfThere(entryPath(folder, name), `${workspace}/${name}`);
      if (bytes === undefined) continue;
      const text = bytes.toString('utf8');
      refuseTooMany(text, `${workspace}/${name}`);
      texts.push(text);
    }
    return texts;
  } finally {
    await folder.close();
  }
}

function refuseTooMany(text: string, path: string): void {
  const project = parseObject(text);
  const providers = namesAt(project, 'provider');
  if (providers.length <= maximumProviders) {
    const models = providers.flatMap((id) => namesAt(project, 'provider', id, 'models'));
    if (models.length <= maximumModels) return;
  }
  throw new UserError(
    'projectConfiguration.tooMany',
    message(
      '{0} names more than {1} providers or {2} models, which is more than can be looked at. Remove those that you don’t use.',
      path,
      maximumProviders,
      maximumModels,
    ),
    { kind: 'revealFile', path },
  );
}

/** Which of the files are edited: all that exist, or the one that wins, which is made when there is none. */
export type EditedFiles = 'all' | 'last';

/**
 * Changes the configuration of opencode that lies in a workspace.
 * @param edit gets the text of a file (undefined for a new one) and returns the new one; an equal one is not written
 * @returns the paths of the files that were written
 * @throws UserError as {@link readProjectConfiguration}, and `projectConfiguration.notEditable`, `.changed`,
 *   `.notWritable`
 */
export async function editProjectConfiguration(
  workspace: string,
  files: EditedFiles,
  edit: (text: string | undefined) => string,
): Promise<string[]> {
  const folder = await openFolder(workspace);
  try {
    const found: { readonly name: string; readonly bytes: Buffer | undefined }[] = [];
    for (const name of fileNames) {
      const bytes = await readIfThere(entryPath(folder, name), `${workspace}/${name}`);
      if (bytes !== undefined) found.push({ name, bytes });
    }
    const last = found.at(-1) ?? { name: fileNames[0], bytes: undefined };
    const written: string[] = [];
    for (const { name, bytes } of files === 'all' ? found : [last]) {
      if (await editFile(folder, name, bytes, edit, `${workspace}/${name}`))
        written.push(`${workspace}/${name}`);
    }
    return written;
  } finally {
    await folder.close();
  }
}

async function editFile(
  folder: FileHandle,
  name: string,
  expected: Buffer | undefined,
  edit: (text: string | undefined) => string,
  path: string,
): Promise<boolean> {
  const show = { kind: 'revealFile', path } as const;
  const text = expected && decode(expected, path);
  try {
    const content = edit(text);
    if (content === text) return false;
    if (await replaceFile(folder, { name, expected, content })) return true;
  } catch (error) {
    if (error instanceof NotEditableError) {
      throw new UserError(
        'projectConfiguration.notEditable',
        message(
          '{0} can’t be changed: it is not valid, or says the same thing twice. Correct it first.',
          path,
        ),
        show,
        { cause: error },
      );
    }
    throw new UserError(
      'projectConfiguration.notWritable',
      message('{0} could not be written. Check who owns it, and that the disk is not full.', path),
      show,
      { cause: error },
    );
  }
  throw new UserError(
    'projectConfiguration.changed',
    message('{0} was changed by something else at the same moment, and is left as it is. Try again.', path),
    show,
  );
}

/** Only what is UTF-8 can be written back as it was. @throws UserError `projectConfiguration.notEditable` */
function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new UserError(
      'projectConfiguration.notEditable',
      message('{0} can’t be changed: it is not encoded as UTF-8. Save it with that encoding first.', path),
      { kind: 'revealFile', path },
      { cause: error },
    );
  }
}

async function readIfThere(entry: string, path: string): Promise<Buffer | undefined> {
  try {
    return await readSmallFile(entry, maximumBytes);
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
