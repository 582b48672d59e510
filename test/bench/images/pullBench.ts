import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { pullImage } from '../../../src/apptainer/pull';
import { pullFlags } from '../../../src/apptainer/pullProcess';
import { smokeTest } from '../../../src/apptainer/smokeTest';
import { hashFile } from '../../../src/host/hashFile';
import { removeTree } from '../../../src/host/removeTree';
import { runInPty } from '../../../src/host/runInPty';
import { TestFolders } from '../../sandbox/support/sandboxUnderTest';
import { apptainer } from '../../support/environment';
import { ImageRegistry, smallOciImage } from '../../support/imageRegistry';
import { pushOciImage } from '../../support/ociImage';
import { projectFile } from '../../support/projectFile';
import { type Bench, type Figure, inTurn, median, ratioTo, timed } from '../bench';
import { getTestParts } from '../parts';

/** As large as the official image of opencode, packed (measured: 61 MB), and packed no smaller. */
const imageBytes = 60_000_000;
/** the bar is narrow, and a single pull can take twice as long as the next */
const rounds = 25;
const wanted = 1.03;

/** Pulls an image from a registry on this computer, as one types it and as the extension does, each time anew. */
export const pullBench: Bench = {
  async *run(): AsyncGenerator<Figure> {
    await getTestParts('registry');
    const folders = new TestFolders();
    const registry = await ImageRegistry.start(join(folders.root, 'registry'));
    try {
      const image = smallOciImage(join(folders.root, 'image'), randomBytes(imageBytes));
      await pushOciImage(`http://${registry.host}`, 'image', '1', image);
      yield await measure(new Pulls(folders, `docker://${registry.host}/image:1`));
    } finally {
      await registry.stop();
      await removeTree(folders.root);
    }
  },
};

async function measure(pulls: Pulls): Promise<Figure> {
  const { plain, ours, withTrial } = await inTurn(
    { plain: () => pulls.plain(), ours: () => pulls.ours(false), withTrial: () => pulls.ours(true) },
    rounds,
  );
  const ratio = ratioTo(plain, ours);
  return {
    name: 'pull of an image of 60 MB',
    unit: 'ms',
    values: {
      plain: median(plain),
      ours: median(ours),
      pullRatio: ratio,
      'ours, tried out and recorded': median(withTrial),
      pullWithTrialRatio: ratioTo(plain, withTrial),
    },
    goal: `pullRatio at most ${wanted}`,
    isMet: ratio <= wanted,
  };
}

/** Pulls of which none finds anything of another. */
class Pulls {
  private readonly ptyModules = [projectFile('node_modules/node-pty')];

  constructor(
    private readonly folders: TestFolders,
    private readonly source: string,
  ) {}

  /** On a terminal, as somebody types it. */
  async plain(): Promise<number> {
    return this.anew(async (folder, environment) => {
      const { exitCode, output } = await runInPty({
        file: apptainer(),
        args: ['pull', ...pullFlags(this.source), join(folder, 'x.sif'), this.source],
        env: { ...environment, PATH: `${join(apptainer(), '..')}:/usr/bin:/bin`, TERM: 'xterm' },
        ptyModules: this.ptyModules,
        keptCharacters: 10_000,
        onText: () => undefined,
      });
      if (exitCode !== 0) throw new Error(output);
    });
  }

  /** @param isTried also runs its opencode (a script here) and reads it all for its record, as the command does */
  async ours(isTried: boolean): Promise<number> {
    return this.anew(async (folder, environment) => {
      const inspect = async (image: string): Promise<void> => {
        const { kind } = await smokeTest({ apptainer: apptainer(), image, environment });
        if (kind !== 'works') throw new Error(`the trial: ${kind}`);
        await hashFile(image);
      };
      await pullImage({
        ...{ apptainer: apptainer(), source: this.source, target: join(folder, 'x.sif'), environment },
        ...{ ptyModules: this.ptyModules, inspect: isTried ? inspect : undefined },
        onProgress: () => undefined,
        onLine: () => undefined,
      });
    });
  }

  private async anew(
    pull: (folder: string, environment: Record<string, string>) => Promise<void>,
  ): Promise<number> {
    const folder = mkdtempSync(join(this.folders.root, 'pull-'));
    for (const name of ['cache', 'tmp']) mkdirSync(join(folder, name));
    const environment = {
      HOME: folder,
      APPTAINER_CACHEDIR: join(folder, 'cache'),
      APPTAINER_TMPDIR: join(folder, 'tmp'),
    };
    const milliseconds = await timed(() => pull(folder, environment));
    await removeTree(folder);
    return milliseconds;
  }
}
