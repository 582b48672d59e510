// Prints the lines of a thorough check of the setup as JSON: to be run on a changed host, with the path of an Apptainer,
// of an image and of a folder.
import { checkSetup } from '../../../src/setup/checkSetup';
import { collectSetupFacts } from '../../../src/setup/collectFacts';
import type { SetupLine } from '../../../src/setup/line';

/** The lines for this computer. @param folder stands for the extension's storage */
export async function setupLines(apptainerPath: string, image: string, folder: string): Promise<SetupLine[]> {
  const facts = await collectSetupFacts({
    ...{ platform: 'linux', userId: process.getuid?.() ?? -1, environment: { HOME: folder } },
    ...{
      storageDirectory: folder,
      apptainerPath,
      image,
      workspaces: [],
      pullFolders: { cache: '', temporary: '' },
      agentHome: folder,
      isThorough: true,
    },
  });
  return checkSetup(facts);
}

async function main(): Promise<void> {
  const [apptainerPath = '', image = '', folder = ''] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await setupLines(apptainerPath, image, folder)));
}

if (require.main === module) {
  void main();
}
