import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { linkExtension } from '../../host/extensionsFolder';
import { shellImage, vscodeHost } from '../../support/environment';
import { waitUntil } from '../../support/waitUntil';
import { startRunning } from '../../sandbox/support/runningSandbox';
import type { specify } from '../../sandbox/support/sandboxUnderTest';
import { identified, TestFolders } from '../../sandbox/support/sandboxUnderTest';
import { AgentWorkbench } from '../../ui/agentWorkbench';
import { type Bench, type Figure, median } from '../bench';
import { buildAsPackaged } from '../packaged';
import { getTestParts } from '../parts';
import { proportionalMegabytes } from '../running/processUse';
import { activationMilliseconds } from './runningExtensions';

const activations = 7;

/** What the extension costs before anybody uses it, and its supervisor. */
export const extensionBench: Bench = {
  async *run(): AsyncGenerator<Figure> {
    await getTestParts('vscodeServer');
    const packaged = buildAsPackaged();
    try {
      yield bundleSizes(packaged.folder);
      const workbench = await AgentWorkbench.open({
        ...{ name: 'bench', configuresModel: false, folderName: 'work' },
        install: (place) => linkExtension(packaged.folder, place),
      });
      try {
        yield await activation(workbench, packaged.folder);
        yield await supervisorMemory();
      } finally {
        await workbench.close();
      }
    } finally {
      packaged.remove();
    }
  },
};

function bundleSizes(packaged: string): Figure {
  const bundles = readdirSync(join(packaged, 'dist')).filter((name) => /\.m?js$/.test(name));
  const sizes = bundles.map((name) => [name, statSync(join(packaged, 'dist', name)).size / 1000] as const);
  return {
    name: 'bundles as they are packaged',
    unit: 'kB',
    values: Object.fromEntries(sizes),
    goal: 'none',
    isMet: true,
  };
}

/**
 * Without a network, and with the thread of a gateway, on the editor's own Node.js, while the editor runs: each of its
 * processes has a part of what they share.
 */
async function supervisorMemory(): Promise<Figure> {
  const alone = await memoryOf({ image: identified(shellImage()) });
  const withGateway = await memoryOf({ image: identified(shellImage()), network: 'restricted' });
  return {
    name: 'memory of a supervisor (PSS)',
    unit: 'MB',
    values: { alone, 'with a gateway': withGateway },
    goal: 'less than 50',
    isMet: withGateway < 50,
  };
}

async function memoryOf(changes: Parameters<typeof specify>[1]): Promise<number> {
  const folders = new TestFolders();
  const { connection, supervisorPid } = await startRunning(folders, changes, vscodeHost().nodeBinary);
  try {
    return proportionalMegabytes(supervisorPid);
  } finally {
    await connection.stop();
    folders.remove();
  }
}

function versionIn(packaged: string): string {
  const manifest = JSON.parse(readFileSync(join(packaged, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}

/** As the extension host itself measures it, for a window with a folder; the first one after an update apart. */
async function activation(workbench: AgentWorkbench, packaged: string): Promise<Figure> {
  const first = await activationMilliseconds(workbench.page);
  const kept = join(workbench.storageFolder, 'compiledCode', versionIn(packaged), 'window');
  await waitUntil('the compiled code is kept', () => existsSync(kept));
  const times: number[] = [];
  for (let round = 0; round < activations; round++) {
    await workbench.page.reload();
    await workbench.page.statusSays(/Agent: /);
    times.push(await activationMilliseconds(workbench.page));
  }
  const usual = median(times);
  return {
    name: 'activation, on the clock of the extension host',
    unit: 'ms',
    values: { first, median: usual, worst: Math.max(...times) },
    goal: 'less than 30 at the median',
    isMet: usual < 30,
  };
}
