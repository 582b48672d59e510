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
  const server = await startServer({ userDataFolder, workspaceTrust: !trusted, staysWithoutWindow: true });
  const ended = new Promise<number>((resolve) => server.onExit(() => resolve(1)));
  const port = server.authority.split(':').pop() ?? '';
  say('VS Code runs here, for a browser on this machine:');
  console.log(workbenchAddress(server, { folder, extensionDevelopmentPaths: [repositoryFolder] }));
  say(`(From another machine, first: ssh -L ${port}:127.0.0.1:${port} THIS-MACHINE)`);
  say('Ctrl+C here ends all.');
  return { ended, stop: () => server.stop() };
}
