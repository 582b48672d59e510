// What the oldest VS Code server needs beyond the newest: its list of packages names one that is not on npm, and its
// node-pty comes without a binary for Linux.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { parseAs } from '../../src/sandbox/parseAs';
import { record } from '../../src/sandbox/schemas';
import { runCommand } from './command';
import { repositoryFolder } from './paths';
import { say } from './progress';

/** In the place of a commit on GitHub; it watches files. */
const watcher = { name: '@parcel/watcher', version: '2.5.1' };

const dependent = v.looseObject({ dependencies: record(v.string(), v.string()) });
const lock = v.looseObject({
  packages: v.looseObject({ '': dependent }),
});

/** Takes the one package from npm that the server's list takes from elsewhere. The others stay as they are locked. */
export async function makeInstallable(vscodeFolder: string): Promise<void> {
  const manifest = join(vscodeFolder, 'package.json');
  const server = parseAs(dependent, JSON.parse(await readFile(manifest, 'utf8')));
  server.dependencies[watcher.name] = watcher.version;
  await writeFile(manifest, JSON.stringify(server, null, 2));
  const shrinkwrap = join(vscodeFolder, 'npm-shrinkwrap.json');
  const locked = parseAs(lock, JSON.parse(await readFile(shrinkwrap, 'utf8')));
  locked.packages[''].dependencies[watcher.name] = watcher.version;
  const { [`node_modules/${watcher.name}`]: _elsewhere, ...packages } = locked.packages;
  await writeFile(shrinkwrap, JSON.stringify({ ...locked, packages }, null, 2));
}

/**
 * Makes the server's node-pty work: compiles its one file, against Node-API only, so that neither node-gyp nor Python
 * is needed.
 * @param compiler of C++; without one the server gets the newer node-pty that this project uses, which has a binary
 * @throws UserError with the compiler's messages
 */
export async function addNodePty(
  nodeBinary: string,
  vscodeFolder: string,
  compiler: string | undefined,
): Promise<void> {
  const modules = join(vscodeFolder, 'node_modules');
  const folder = join(modules, 'node-pty');
  if (compiler === undefined) {
    say('  There is no compiler of C++ (g++) here: a newer node-pty takes the place of its own.');
    await rm(folder, { recursive: true });
    await cp(join(repositoryFolder, 'node_modules/node-pty'), folder, { recursive: true });
    return;
  }
  const target = join(folder, 'build/Release/pty.node');
  const headers = [join(dirname(dirname(nodeBinary)), 'include/node'), join(modules, 'node-addon-api')];
  await mkdir(dirname(target), { recursive: true });
  await runCommand(compiler, [
    ...['-shared', '-fPIC', '-O2', '-std=c++17', '-fexceptions'],
    // as binding.gyp of node-pty and node-addon-api have it
    ...['-DNAPI_CPP_EXCEPTIONS', '-DNODE_GYP_MODULE_NAME=pty', '-DBUILDING_NODE_EXTENSION'],
    ...headers.flatMap((header) => ['-I', header]),
    ...['-o', target, join(folder, 'src/unix/pty.cc'), '-lutil'],
  ]);
}
