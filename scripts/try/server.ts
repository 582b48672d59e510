import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkExtension } from '../../test/host/extensionsFolder';
import { startServer } from '../../test/host/server';
import { workbenchAddress } from '../../test/host/workbench';
import { testVariable } from '../../test/support/environment';
import { repositoryFolder } from '../setup/paths';
import { say } from '../setup/progress';
import { ensureVscodeHost } from '../setup/vscodeHost';
import type { EditorWindow } from './editorWindow';

/** Starts a VS Code server on 127.0.0.1 with the extension loaded from this clone, and prints its address. */
export async function openServer(
  folder: string,
  userDataFolder: string,
  trusted: boolean,
): Promise<EditorWindow> {
  const { nodeBinary, vscodeFolder } = await ensureVscodeHost();
  process.env[testVariable.hostNode] = nodeBinary;
  process.env[testVariable.hostFolder] = vscodeFolder;
  // not by the address: a server that takes extensions from there shows no notifications
  const extensionsFolder = await mkdtemp(join(tmpdir(), 'sandboxed-agent-try-'));
  linkExtension(repositoryFolder, extensionsFolder);
  const server = await startServer({
    userDataFolder,
    extensionsFolder,
    takesExtensionsFromAddress: false,
    workspaceTrust: !trusted,
    staysWithoutWindow: true,
  });
  const ended = new Promise<number>((resolve) => server.onExit(() => resolve(1)));
  const port = server.authority.split(':').pop() ?? '';
  say('VS Code runs here, for a browser on this machine:');
  console.log(workbenchAddress(server, { folder, greets: true }));
  say(`(From another machine, first: ssh -L ${port}:127.0.0.1:${port} THIS-MACHINE)`);
  say('Ctrl+C here ends all.');
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(extensionsFolder, { recursive: true, force: true });
  };
  return { ended, stop };
}
