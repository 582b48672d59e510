import { readdir } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { makePrivateFolders } from './privateFolders';
import { removeTree } from './removeTree';

/**
 * Makes the folder in which Node keeps what it has compiled of our bundles (NODE_COMPILE_CACHE, from Node.js 22.1 on),
 * and removes those of other versions of the extension. It is as good as code of ours: nobody else can write there, and
 * Node compares a checksum of the source, its own version and that of V8.
 * @param storageDirectory of the extension, out of reach of every agent
 * @param version of the extension
 * @returns its path; undefined when it can't be made: then all is compiled, as ever
 */
export async function makeCompiledCodeFolder(
  storageDirectory: string,
  version: string,
): Promise<string | undefined> {
  try {
    const own = await makePrivateFolders(storageDirectory, 'compiledCode', version);
    const all = join(own, '..');
    const others = (await readdir(all)).filter((name) => name !== version);
    await Promise.all(others.map((name) => removeTree(join(all, name))));
    return own;
  } catch {
    return undefined;
  }
}

/** Has Node keep now what it has compiled so far: a process that is killed in the end would keep nothing of it. */
export function keepCompiledCode(): void {
  // from Node.js 22.10 on; our types are older
  const { flushCompileCache } = nodeModule as { flushCompileCache?: () => void };
  flushCompileCache?.();
}
