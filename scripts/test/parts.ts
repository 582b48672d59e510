import { testVariable } from '../../test/support/environment';
import { ensureApptainer } from '../setup/apptainer';
import { ensureChromium } from '../setup/chromium';
import { ensureDebianImage, ensureShellOnlyImage } from '../setup/debianImage';
import { ensureDebianPackages } from '../setup/debianPackages';
import { ensureRegistry } from '../setup/registry';
import { ensureOldestVscodeHost, ensureVscodeHost } from '../setup/vscodeHost';

/**
 * Something real that tests use. `vscode` may be a desktop VS Code; `vscodeServer` is shown in a browser, and so is
 * `oldestVscode`, the oldest that the extension supports.
 */
export type Part =
  'apptainer' | 'images' | 'registry' | 'debianPackages' | 'vscode' | 'vscodeServer' | 'oldestVscode';

/** Environment variables that tell the tests where a part is. */
type Variables = Readonly<Record<string, string>>;

const got = new Map<Part, Promise<Variables>>();

/**
 * Gets a part where it is missing, once.
 *
 * @throws UserError that says how to get it by hand
 */
export function getPart(part: Part): Promise<Variables> {
  const known = got.get(part) ?? find(part);
  got.set(part, known);
  return known;
}

/** Gets parts one after the other, while something else goes on; who needs one hears what came of it. */
export async function getAhead(parts: readonly Part[]): Promise<void> {
  for (const part of parts) {
    await getPart(part).catch(() => undefined);
  }
}

function find(part: Part): Promise<Variables> {
  switch (part) {
    case 'apptainer':
      return getApptainer();
    case 'images':
      return getImages();
    case 'registry':
      return getRegistry();
    case 'debianPackages':
      return getDebianPackages();
    case 'vscode':
      return process.env['VSCODE_EXECUTABLE'] === undefined ? getVscodeServer() : Promise.resolve({});
    case 'vscodeServer':
      return getVscodeServer();
    case 'oldestVscode':
      return getOldestVscode();
  }
}

async function getApptainer(): Promise<Variables> {
  return { [testVariable.apptainer]: await ensureApptainer() };
}

async function getImages(): Promise<Variables> {
  const apptainer = await ensureApptainer();
  return {
    [testVariable.image]: await ensureDebianImage(apptainer),
    [testVariable.shellImage]: await ensureShellOnlyImage(apptainer),
  };
}

async function getRegistry(): Promise<Variables> {
  return { [testVariable.registry]: await ensureRegistry() };
}

async function getDebianPackages(): Promise<Variables> {
  return { [testVariable.debianPackages]: await ensureDebianPackages() };
}

async function getVscodeServer(): Promise<Variables> {
  const { nodeBinary, vscodeFolder } = await ensureVscodeHost();
  return {
    [testVariable.hostNode]: nodeBinary,
    [testVariable.hostFolder]: vscodeFolder,
    CHROMIUM: await ensureChromium(),
  };
}

async function getOldestVscode(): Promise<Variables> {
  const { nodeBinary, vscodeFolder } = await ensureOldestVscodeHost();
  return {
    [testVariable.oldestHostNode]: nodeBinary,
    [testVariable.oldestHostFolder]: vscodeFolder,
    CHROMIUM: await ensureChromium(),
  };
}
