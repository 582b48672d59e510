import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../../../scripts/setup/paths';
import { shellImage } from '../../support/environment';
import { startRunning } from '../../sandbox/support/runningSandbox';
import { identified, TestFolders } from '../../sandbox/support/sandboxUnderTest';
import { AgentWorkbench } from '../../ui/agentWorkbench';
import { type Bench, type Figure, median } from '../bench';
import { getTestParts } from '../parts';
import { proportionalMegabytes } from '../running/processUse';
import { activationMilliseconds } from './runningExtensions';

const activations = 7;

/** What the extension costs before anybody uses it, and its supervisor. */
export const extensionBench: Bench = {
  async *run(): AsyncGenerator<Figure> {
    await getTestParts('vscodeServer');
    yield bundleSizes();
    yield await supervisorMemory();
    yield await activation();
  },
};

/** Of the bundles as they are packaged. */
function bundleSizes(): Figure {
  const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
  try {
    for (const name of ['src', 'scripts', 'node_modules', 'package.json']) {
      symlinkSync(join(repositoryFolder, name), join(folder, name));
    }
    const built = spawnSync(process.execPath, ['scripts/build.mjs', '--production'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (built.status !== 0) throw new Error(built.stderr);
    const bundles = readdirSync(join(folder, 'dist')).filter((name) => /\.m?js$/.test(name));
    const sizes = bundles.map((name) => [name, statSync(join(folder, 'dist', name)).size / 1000] as const);
    return {
      name: 'bundles as they are packaged',
      unit: 'kB',
      values: Object.fromEntries(sizes),
      goal: 'none',
      isMet: true,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function supervisorMemory(): Promise<Figure> {
  const folders = new TestFolders();
  const { connection, supervisorPid } = await startRunning(folders, { image: identified(shellImage()) });
  try {
    const measured = proportionalMegabytes(supervisorPid);
    return {
      name: 'memory of a supervisor (PSS)',
      unit: 'MB',
      values: { measured },
      goal: 'less than 50',
      isMet: measured < 50,
    };
  } finally {
    await connection.stop();
    folders.remove();
  }
}

/** As the extension host itself measures it, for a window with a folder. */
async function activation(): Promise<Figure> {
  const workbench = await AgentWorkbench.open({ name: 'bench', configuresModel: false, folderName: 'work' });
  try {
    const times: number[] = [];
    for (let round = 0; round < activations; round++) {
      if (round > 0) {
        await workbench.page.reload();
        await workbench.page.statusSays(/Agent: /);
      }
      times.push(await activationMilliseconds(workbench.page));
    }
    const usual = median(times);
    return {
      name: 'activation, on the clock of the extension host',
      unit: 'ms',
      values: { median: usual, worst: Math.max(...times) },
      goal: 'less than 30 at the median',
      isMet: usual < 30,
    };
  } finally {
    await workbench.close();
  }
}
