import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { entryPath, openFolder, readSmallFile, UnsafeFileError } from '../host/safeFiles';
import { message, type Message } from '../sandbox/message';
import { allowsHostedModels, limitsProviders, namesProviders } from './managedConfiguration';

/** Where opencode 1.18 reads more configuration, in the workspace and in the home. */
const inWorkspace = ['.opencode/opencode.json', '.opencode/opencode.jsonc'];
const inHome = ['config.json', 'opencode.json', 'opencode.jsonc'].map((name) => `.config/opencode/${name}`);

/**
 * What somebody should know of the configuration with which opencode is going to run: that prompts may go to
 * opencode's hosted models, and which files name providers that the managed configuration does not know of.
 * @param managed the result of `managedConfiguration`
 * @param home the agent's home on the host; undefined when it is in memory
 */
export async function configurationNotes(
  workspace: string,
  home: string | undefined,
  managed: Readonly<Record<string, unknown>>,
): Promise<Message[]> {
  const notes: Message[] = [];
  if (allowsHostedModels(managed)) {
    notes.push(
      message(
        'opencode.json in {0} names a model of opencode’s hosted service, so prompts may go to opencode.ai. The agent can write this file.',
        workspace,
      ),
    );
  }
  if (limitsProviders(managed)) {
    const found = [
      ...(await withProviders(workspace, inWorkspace)),
      ...(home === undefined ? [] : await withProviders(home, inHome)),
    ];
    notes.push(
      ...found.map((path) =>
        message('{0} is not looked at: models of providers that only it names can’t be used.', path),
      ),
    );
  }
  return notes;
}

/** A configuration is a few lines; a longer file is not looked into. */
const maximumBytes = 1_048_576;

/** Those of the files below `root` that bring providers. No link is followed: the agent can write there. */
async function withProviders(root: string, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(names.map((name) => bringsProviders(root, name.split('/'))));
  return names.filter((_, index) => found[index]).map((name) => join(root, name));
}

async function bringsProviders(root: string, names: readonly string[]): Promise<boolean> {
  const opened: FileHandle[] = [];
  try {
    let folder = await openFolder(root);
    opened.push(folder);
    for (const name of names.slice(0, -1)) {
      folder = await openFolder(entryPath(folder, name));
      opened.push(folder);
    }
    const text = await readSmallFile(entryPath(folder, names.at(-1) ?? ''), maximumBytes);
    return namesProviders(text.toString('utf8'));
  } catch (error) {
    if (error instanceof UnsafeFileError || (error instanceof Error && 'code' in error)) return false;
    throw error;
  } finally {
    await Promise.all(opened.map((folder) => folder.close()));
  }
}
